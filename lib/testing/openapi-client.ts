import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import * as z from 'zod';

/**
 * A client that uses only the OpenAPI document: it finds an operation by its id, fills in the path, refuses an invalid body, and
 * refuses a response whose status, headers, type or content is not documented.
 */
export interface OpenApiClient {
  readonly operations: readonly string[];
  ask(id: string, given?: Asked): Promise<Answer>;
}

interface Asked {
  readonly path?: string;
  readonly query?: Record<string, string>;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

/** Every response of the API is an object. */
type Answer = Record<string, unknown> & Record<'calls' | 'tools' | 'extensions' | 'snapshots' | 'groups' | 'channels', Listed[]>;
type Listed = Record<'id' | 'name', string> & { readonly version: number };

const operationSchema = z.looseObject({
  operationId: z.string(),
  parameters: z.array(z.looseObject({ name: z.string(), in: z.string() })).default([]),
  responses: z.record(z.string(), z.looseObject({ headers: z.record(z.string(), z.unknown()).default({}) })),
});
const documentSchema = z.looseObject({ paths: z.record(z.string(), z.record(z.string(), operationSchema)) });
const namedSchema = z.record(z.string(), z.unknown());
const componentsSchema = z.object({ components: z.object({ parameters: namedSchema, responses: namedSchema }) });
const referenceSchema = z.object({ $ref: z.string() });
/** A reference to a part of an operation; references to schemas are resolved during validation. */
const REFERENCE = /^#\/components\/(\w+)\/([\w.-]+)$/;
const answerSchema = z.custom<Answer>((value) => typeof value === 'object' && value !== null);

/** Headers of the API; others belong to HTTP or to browsers. */
const TELLING = [
  'allow',
  'content-disposition',
  'idempotency-replayed',
  'location',
  'preference-applied',
  'retry-after',
  'www-authenticate',
];

/** @param who headers that identify the caller, unless a request sets them */
export async function readOpenApi(base: string, who: Readonly<Record<string, string>> = {}): Promise<OpenApiClient> {
  const text = await (await fetch(`${base}/api/v1/openapi.json`, { headers: who })).text();
  const { components } = componentsSchema.parse(JSON.parse(text));
  const document = documentSchema.parse(
    JSON.parse(text, (_key, value: unknown) => {
      const [, kind, name = ''] = REFERENCE.exec(referenceSchema.safeParse(value).data?.$ref ?? '') ?? [];
      if (kind !== 'parameters' && kind !== 'responses') return value;
      return components[kind][name] ?? value;
    }),
  );
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ ...document, $id: 'openapi:' });
  const check = (place: readonly string[], value: unknown): void => {
    const pointer = pointerTo(place);
    const validate = ajv.getSchema(pointer);
    if (validate === undefined) throw new Error(`The document has nothing at ${pointer}`);
    if (validate(value) !== true) throw new Error(`${pointer}: ${ajv.errorsText(validate.errors)}`);
  };
  const found = new Map(
    Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => [operation.operationId, { path, method, operation }] as const),
    ),
  );

  return {
    operations: [...found.keys()],
    async ask(id, { path = '', query = {}, body, headers = {} } = {}) {
      const entry = found.get(id);
      if (entry === undefined) throw new Error(`There is no operation ${id}`);
      const at = ['paths', entry.path, entry.method];
      const known = new Set(entry.operation.parameters.filter((item) => item.in === 'query').map((item) => item.name));
      const foreign = Object.keys(query).find((name) => !known.has(name));
      if (foreign !== undefined) throw new Error(`${id} has no query parameter ${foreign}`);
      if (body !== undefined) check([...at, 'requestBody', 'content', 'application/json', 'schema'], body);
      const search = new URLSearchParams(query).toString();
      const answer = await fetch(`${base}${entry.path.replace(/\{\w+\}/, encodeURIComponent(path))}?${search}`, {
        method: entry.method.toUpperCase(),
        headers: { ...who, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        redirect: 'manual',
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const place = [...at, 'responses', String(answer.status)];
      if (entry.operation.responses[String(answer.status)] === undefined)
        throw new Error(`${id} answered ${answer.status}, of which the document says nothing`);
      const written = Object.keys(entry.operation.responses[String(answer.status)]?.headers ?? {}).map((name) => name.toLowerCase());
      for (const name of TELLING) {
        if (answer.headers.has(name) && !written.includes(name))
          throw new Error(`${id} answered ${answer.status} with an undocumented ${name}`);
      }
      const type = answer.headers.get('content-type')?.split(';', 1)[0] ?? null;
      if (type === null) return answerSchema.parse({ status: answer.status });
      const isStream = type === 'text/event-stream';
      const text = isStream ? '' : await answer.text();
      if (isStream) await answer.body?.cancel();
      const value: unknown = type.endsWith('json') && !type.includes('ndjson') ? JSON.parse(text) : text;
      check([...place, 'content', type, 'schema'], value);
      if (typeof value === 'string') return answerSchema.parse({ status: answer.status, text: value });
      return answerSchema.parse(value);
    },
  };
}

function pointerTo(place: readonly string[]): string {
  return `openapi:#${place.map((part) => `/${encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('')}`;
}
