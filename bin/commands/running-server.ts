import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import * as z from 'zod';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import { cannotDo, CommandError, EXIT, wrongUsage } from './command.ts';
import type { CommandContext } from './command.ts';
import { retryRequest } from './retry-request.ts';
import type { Answer } from './retry-request.ts';

/**
 * Client of a running server's API. What can go wrong:
 * - `fetch` times out after five minutes, and a call may take an hour: requests use node:http;
 * - another program may listen on the port: answers are validated;
 * - the server is busy, or the connection breaks: requests are retried (retry-request.ts).
 */
export interface RunningServer {
  /** Without a trailing slash. */
  readonly url: string;
  /** Headers that identify the caller. */
  readonly headers: Headers;
  /** Rejects with a CommandError if the server rejects the request or sends an invalid answer. */
  get<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.output<Schema>>;
  /** The same; null for 404 and 410. */
  find<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.output<Schema> | null>;
  post<Schema extends z.ZodType>(path: string, body: unknown, schema: Schema, headers?: Headers): Promise<z.output<Schema>>;
}

type Headers = Readonly<Record<string, string>>;

const PROBE_MS = 2_000;
const VISIBLE_ASCII = /^[!-~]+$/;
const healthSchema = z.looseObject({ status: z.string(), ready: z.boolean() });
const problemSchema = z.looseObject({ code: z.string(), detail: z.string() });

/** Address of the server, and whether the user named it. */
export function serverAddress(context: CommandContext, given: string | undefined): { readonly url: string; readonly isNamed: boolean } {
  const named = given ?? (context.env['SWITCHBOARD_URL'] || undefined);
  if (named !== undefined) {
    if (!URL.canParse(named) || !/^https?:$/.test(new URL(named).protocol))
      throw wrongUsage(`“${named}” is not a server address; write for example http://127.0.0.1:3000.`);
    return { url: named.replace(/\/+$/, ''), isNamed: true };
  }
  const host = context.env['HOST'] || '127.0.0.1';
  return {
    url: `http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${context.env['PORT'] || '3000'}`,
    isNamed: false,
  };
}

/** The server, or null if none was named and none answers. */
export async function findServer(context: CommandContext, given: string | undefined): Promise<RunningServer | null> {
  const { url, isNamed } = serverAddress(context, given);
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(PROBE_MS)]);
  const answer = await send(url, '/healthz', 'GET', undefined, {}, signal).catch(() => null);
  if (context.signal.aborted) throw endedBefore(url);
  const health = healthSchema.safeParse(parse(answer?.text ?? ''));
  if (answer?.status === 200 && health.success) return createServerClient(url, tokenHeaders(isNamed, context), context);
  if (isNamed)
    throw cannotDo(
      `No Switchboard answers at ${url}${answer === null ? '' : ', though something else does'}. Start it with \`npm start\`, or use --url.`,
    );
  return null;
}

/** The same, for commands that need a server. */
export async function requireServer(context: CommandContext, given: string | undefined): Promise<RunningServer> {
  const server = await findServer(context, given);
  if (server !== null) return server;
  throw cannotDo(`No Switchboard answers at ${serverAddress(context, given).url}. Start it with \`npm start\`, or use --url.`);
}

/** The token is sent only to a server the user named, not to an unknown program on the default port. */
function tokenHeaders(isNamed: boolean, { env }: CommandContext): Headers {
  const token = env['SWITCHBOARD_TOKEN'] ?? '';
  if (!isNamed || token === '') return {};
  if (!VISIBLE_ASCII.test(token)) throw wrongUsage('SWITCHBOARD_TOKEN is not a token: it must be swb_ and 46 letters and digits.');
  return { authorization: `Bearer ${token}` };
}

function createServerClient(url: string, who: Headers, context: CommandContext): RunningServer {
  async function ask(method: string, path: string, body?: unknown, headers: Headers = {}): Promise<Answer> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const once = (): Promise<Answer> => send(url, path, method, text, { ...who, ...headers }, context.signal);
    try {
      return await retryRequest(once, 'idempotency-key' in headers, context);
    } catch (error) {
      if (context.signal.aborted) throw endedBefore(url);
      throw cannotDo(`The connection to ${url} broke: ${error instanceof Error ? error.message : String(error)}.`);
    }
  }

  function read<Schema extends z.ZodType>(answer: Answer, schema: Schema): z.output<Schema> {
    const json = parse(answer.text);
    const parsed = answer.status < 300 ? schema.safeParse(json) : null;
    if (parsed?.success === true) return parsed.data;
    const problem = problemSchema.safeParse(json);
    if (problem.success && problem.data.code === 'sign_in_needed')
      throw cannotDo(`${problem.data.detail} Set SWITCHBOARD_TOKEN, and --url or SWITCHBOARD_URL.`);
    if (problem.success) throw cannotDo(problem.data.detail);
    throw cannotDo(`${url} answered ${answer.status} with an unknown format. Is it a Switchboard of this version?`);
  }

  return {
    url,
    headers: who,
    get: async (path, schema) => read(await ask('GET', path), schema),
    async find(path, schema) {
      const answer = await ask('GET', path);
      return answer.status === 404 ? null : read(answer, schema);
    },
    post: async (path, body, schema, headers = {}) => read(await ask('POST', path, body, headers), schema),
  };
}

function endedBefore(url: string): CommandError {
  return new CommandError(EXIT.cancelled, `Interrupted before ${url} answered.`);
}

function send(url: string, path: string, method: string, body: string | undefined, headers: Headers, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = url.startsWith('https:') ? httpsRequest : httpRequest;
    const content = body === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
    const sent = request(
      `${url}${path}`,
      { method, signal, headers: { 'x-switchboard-client': 'cli', ...content, ...headers } },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.once('end', () =>
          resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] ?? null, text }),
        );
        response.once('error', reject);
      },
    );
    sent.once('error', reject);
    sent.end(body);
  });
}

function parse(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}
