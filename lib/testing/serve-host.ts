import type { Tracer } from '#lib/contract/tracing.ts';
import { createHttpServer } from '#lib/api/node/http-server.ts';
import { answerByApi, setCurrentHost } from '#lib/host/current-host.ts';
import type { Host } from '#lib/host/host.ts';
import { createMcpEndpoint } from '#lib/mcp/mcp-endpoint.ts';

/** A host behind the real server, without pages. */
export interface ServedHost {
  readonly url: string;
  close(): Promise<void>;
}

/** @param port 0: any free port */
export async function serveHost(host: Host, port = 0, tracer: Tracer | null = null): Promise<ServedHost> {
  setCurrentHost(host);
  const http = createHttpServer({
    config: { ...host.config, port },
    logger: host.logger,
    tracer,
    pages: {
      upgrade: null,
      handle: async ({ url }) => {
        throw new Error(`Nothing answers ${url} here; pages need the real Next.`);
      },
    },
    createMcp: (made) => createMcpEndpoint(made, '0.0.0'),
  });
  const bound = await http.listen();
  http.setHost(host);
  return { url: `http://127.0.0.1:${bound}`, close: () => http.close(1_000) };
}

/** The API as mounted by Next for the served host, without our server in front. */
export const answerInNext = (request: Request): Promise<Response> => answerByApi(request);
