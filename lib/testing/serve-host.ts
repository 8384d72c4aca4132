import { existsSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import type { Tracer } from '#lib/contract/tracing.ts';
import { setCurrentHost } from '#lib/host/current-host.ts';
import type { Host } from '#lib/host/host.ts';
import { createHttpServer } from '#lib/http/http-server.ts';
import { matchRoute } from '#lib/http/routes.ts';
import { createMcpEndpoint } from '#lib/mcp/mcp-endpoint.ts';

/** A host behind the real server; the route handlers are called as Next would, without a build. */
export interface ServedHost {
  readonly url: string;
  close(): Promise<void>;
}

type Handler = (request: Request, context: { params: Promise<Record<string, string>> }) => Promise<Response>;

const APP = path.resolve(import.meta.dirname, '../../app');

/** @param port 0 takes any that is free */
export async function serveHost(host: Host, port = 0, tracer: Tracer | null = null): Promise<ServedHost> {
  setCurrentHost(host);
  const http = createHttpServer({
    config: { ...host.config, port },
    logger: host.logger,
    tracer,
    pages: { upgrade: null, handle: answerByHandler },
    createMcp: (made) => createMcpEndpoint(made, '0.0.0'),
  });
  const bound = await http.listen();
  http.setHost(host);
  return { url: `http://127.0.0.1:${bound}`, close: () => http.close(1_000) };
}

async function answerByHandler(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const method = request.method ?? 'GET';
  const target = new URL(request.url ?? '/', `http://${request.headers.host}`);
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value));
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const answer = await callHandler(
    new Request(target, { method, headers, ...(hasBody ? { body: Readable.toWeb(request), duplex: 'half' as const } : {}) }),
  );
  const cookies = answer.headers.getSetCookie();
  response.writeHead(answer.status, { ...Object.fromEntries(answer.headers), ...(cookies.length === 0 ? {} : { 'set-cookie': cookies }) });
  response.end(Buffer.from(await answer.arrayBuffer()));
}

/** The route handler alone, over the current host: what would answer if the gate were not there. */
export async function callHandler(request: Request): Promise<Response> {
  const { method } = request;
  const { pathname } = new URL(request.url);
  const match = matchRoute(method, pathname);
  if (match.kind !== 'route') throw new Error(`Nothing answers ${method} ${pathname} here; pages need the real Next.`);
  const { file, params } = handlerOf(match.route.path, match.parameter);
  const module: Record<string, Handler> = await import(pathToFileURL(file).href);
  const handler = module[method === 'HEAD' ? 'GET' : method];
  if (handler === undefined) throw new Error(`${file} has no ${method}`);
  return handler(request, { params: Promise.resolve(params) });
}

/** A folder of `app` stands for a segment by its name, or takes any as `[parameter]`. */
function handlerOf(route: string, parameter: string): { readonly file: string; readonly params: Record<string, string> } {
  const params: Record<string, string> = {};
  let folder = APP;
  for (const segment of route.split('/').slice(1)) {
    const name = segment.startsWith(':') ? `[${segment.slice(1)}]` : segment;
    if (segment.startsWith(':')) params[segment.slice(1)] = parameter;
    if (existsSync(path.join(folder, name))) folder = path.join(folder, name);
    else {
      folder = path.join(folder, '[action]');
      params['action'] = segment;
    }
  }
  return { file: path.join(folder, 'route.ts'), params };
}
