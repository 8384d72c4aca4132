import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { LIMITS } from '#lib/contract/limits.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import { parseJsonBody } from './json-body.ts';
import { parseBody } from './parse-fields.ts';

const NO_FIELDS = z.strictObject({});
const JSON_TYPE = /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i;

interface BodyHeaders {
  readonly contentType: string | null | undefined;
  readonly contentEncoding: string | null | undefined;
  readonly contentLength: string | null | undefined;
}

/** Refuses by the headers alone what cannot be a body of ours. */
export function checkBodyHeaders(headers: BodyHeaders, hasBody: boolean): Result<null> {
  const { contentType, contentEncoding, contentLength } = headers;
  if (contentEncoding)
    return refuse(
      'media_type_unsupported',
      `The body is encoded as "${contentEncoding.slice(0, 40)}". Send it as it is, without Content-Encoding.`,
    );
  if (contentType ? !JSON_TYPE.test(contentType) : hasBody) {
    const given = contentType ? `is "${contentType.slice(0, 80)}"` : 'is missing';
    return refuse('media_type_unsupported', `The Content-Type ${given}; application/json in UTF-8 is accepted.`);
  }
  return Number(contentLength ?? 0) > LIMITS.bodyBytes ? tooLarge() : ok(null);
}

/** Reads a body from the socket, counting what comes whatever was announced. Null: the client went away. */
export function readBody(request: IncomingMessage): Promise<Result<Buffer> | null> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const end = (outcome: Result<Buffer> | null): void => {
      request.off('data', onData).off('end', onEnd).off('close', onClose);
      resolve(outcome);
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > LIMITS.bodyBytes) end(tooLarge());
    };
    const onEnd = (): void => {
      const [first] = chunks;
      end(ok(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, size)));
    };
    const onClose = (): void => end(null);
    request
      .on('data', onData)
      .on('end', onEnd)
      .on('close', onClose)
      .on('error', () => undefined);
  });
}

/** For route handlers: the JSON of a body, `absent` when there is none. */
export async function readJson(request: Request, absent: unknown): Promise<Result<unknown>> {
  const body: ReadableStream<Uint8Array> | null = request.body;
  const reader = body?.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (reader !== undefined) {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      size += part.value.length;
      if (size > LIMITS.bodyBytes) {
        await reader.cancel();
        return tooLarge();
      }
      chunks.push(part.value);
    }
  }
  const { headers } = request;
  const checked = checkBodyHeaders(
    { contentType: headers.get('content-type'), contentEncoding: headers.get('content-encoding'), contentLength: null },
    size > 0,
  );
  if (!checked.ok) return checked;
  return size === 0 ? ok(absent) : parseJsonBody(Buffer.concat(chunks, size));
}

/** For route handlers: the body as the shape that is asked for; without one it is an empty object. */
export async function readFields<Schema extends z.ZodObject>(request: Request, schema: Schema): Promise<Result<z.output<Schema>>> {
  const json = await readJson(request, {});
  return json.ok ? parseBody(schema, json.value) : json;
}

/** For route handlers that take no fields: nothing, or an object without any. */
export function readNothing(request: Request): Promise<Result<object>> {
  return readFields(request, NO_FIELDS);
}

function tooLarge(): Result<never> {
  return refuse('body_too_large', `The body is larger than ${LIMITS.bodyBytes} bytes (1 MiB), which is the most that is accepted.`);
}
