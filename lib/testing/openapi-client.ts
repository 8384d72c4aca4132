import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { z } from 'zod';

/**
 * A client that knows nothing but the OpenAPI document: it finds an operation by its id, fills in the path, refuses a body that
 * the document does not allow, and refuses an answer that the document does not describe.
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

/** Every answer of the API is an object; lists of them are looked into by tests. */
type Answer = Record<string, unknown> & Record<'calls' | 'tools' | 'extensions' | 'snapshots' | 'groups' | 'channels', Listed[]>;
type Listed = Record<'id' | 'name', string> & { readonly version: number };

const operationSchema = z.looseObject({
  operationId: z.string(),
  parameters: z.array(z.looseObject({ name: z.string(), in: z.string() })).default([]),
});
const documentSchema = z.looseObject({ paths: z.record(z.string(), z.record(z.string(), operationSchema)) });
const answerSchema = z.custom<Answer>((value) => typeof value === 'object' && value !== null);

export async function readOpenApi(base: string): Promise<OpenApiClient> {
  const document = documentSchema.parse(await (await fetch(`${base}/api/v1/openapi.json`)).json());
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ ...document, $id: 'openapi:' });
  const check = (place: readonly string[], value: unknown): void => {
    const pointer = place.map((part) => `/${encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');
    const validate = ajv.getSchema(`openapi:#${pointer}`);
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
        headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const type = answer.headers.get('content-type')?.split(';', 1)[0] ?? '';
      const value: unknown = await answer.json();
      check([...at, 'responses', String(answer.status), 'content', type, 'schema'], value);
      return answerSchema.parse(value);
    },
  };
}
