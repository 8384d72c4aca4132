import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod';

/**
 * A proxy between a command and a server. `intercept` may handle a request by returning true; it is called after the server
 * has answered.
 */
export async function passOn(
  target: string,
  intercept: (request: IncomingMessage, response: ServerResponse) => boolean,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    pass(target, request).then(
      async (answer) => {
        const text = await answer.text();
        if (intercept(request, response)) return;
        const type = answer.headers.get('content-type') ?? 'text/plain';
        response.writeHead(answer.status, { 'content-type': type }).end(text);
      },
      (error: unknown) => response.destroy(error instanceof Error ? error : undefined),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = z.object({ port: z.number() }).parse(server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function pass(target: string, request: IncomingMessage): Promise<Response> {
  let body = '';
  for await (const part of request.setEncoding('utf8')) body += String(part);
  const kept = ['content-type', 'idempotency-key', 'x-switchboard-client'].flatMap((name): [string, string][] => {
    const value = request.headers[name];
    return typeof value === 'string' ? [[name, value]] : [];
  });
  return fetch(`${target}${request.url ?? '/'}`, {
    method: request.method ?? 'GET',
    headers: kept,
    ...(body === '' ? {} : { body }),
  });
}
