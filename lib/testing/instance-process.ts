import { flushCompileCache } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { createHttpServer } from '#lib/api/node/http-server.ts';
import { createHost } from '#lib/host/create-host.ts';
import { setCurrentHost } from '#lib/host/current-host.ts';
import { createLogger } from '#lib/host/logger.ts';
import { readConfig } from '#lib/host/read-config.ts';
import { createMcpEndpoint } from '#lib/mcp/mcp-endpoint.ts';

/** A server without pages, started by instances.ts with the folder of programs. It stops as server.ts does. Its first line is its port. */

const LAST_ANSWERS_MS = 1_000;

const read = readConfig(process.env, process.cwd());
if (!read.ok) throw new Error(read.reason);
const { config } = read;
const logger = createLogger({ write: (line) => process.stderr.write(line), readable: false, level: config.logLevel });
const http = createHttpServer({
  config,
  logger,
  pages: {
    upgrade: null,
    handle: async ({ url }) => {
      throw new Error(`Nothing answers ${url} here; pages need the real Next.`);
    },
  },
  createMcp: (host) => createMcpEndpoint(host, '0.0.0'),
});
const port = await http.listen();
const made = await createHost(config, logger, process.env, { programsDir: process.argv[2] });
if (!made.ok) {
  process.stderr.write(`${made.reason}\n`);
  process.exit(1);
}
const { host } = made;
setCurrentHost(host);
http.setHost(host);
// The next process starts in half the time. Most are killed, and a killed process writes no compile cache.
flushCompileCache();
process.stdout.write(`${port}\n`);

process.on('SIGTERM', () => {
  http.beginDrain();
  host.instances.drain();
  delay(config.drainSeconds * 1_000)
    .then(async () => {
      const gone = http.stopAccepting();
      await host.close();
      await Promise.all([http.close(LAST_ANSWERS_MS), gone]);
    })
    .then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`${String(error)}\n`);
        process.exit(1);
      },
    );
});
