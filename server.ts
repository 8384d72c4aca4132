import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { existsSync } from 'node:fs';
import { get, Server } from 'node:http';
import { enableCompileCache } from 'node:module';
import { join, resolve } from 'node:path';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { McpEndpoint } from '#lib/contract/mcp-exchange.ts';
import type { Host } from '#lib/host/host.ts';

/**
 * Starts and stops the server. Order: the port first, so health answers at once; then the host, so tools are callable; then
 * Next, which loads slowly. On SIGTERM `/readyz` fails and requests are served for DRAIN_SECONDS, so a load balancer stops
 * sending; then the port closes and running calls finish. A second signal or a timeout exits at once.
 *
 * A Next that was started without this program (`next start`, `next dev`) has opened its port already: instrumentation.ts calls
 * `serveNext`, which puts the same checks, API and host in front of its pages.
 */

// Before any other import, so that all of them are in the compile cache.
const root = import.meta.dirname;
enableCompileCache(join(root, 'node_modules', '.cache', 'compile'));

/** Pages wait for the first load, but not for slow extensions. */
const PAGES_WAIT_MS = 500;
/** With the default DRAIN_SECONDS. Docker kills a process after ten seconds, so a forced exit comes before that. */
const STOP_MOST_MS = 9_500;
const DRAIN_MS = 3_000;
const LAST_ANSWERS_MS = 1_000;
const LAST_SPANS_MS = 1_000;
/** For processes and the database, after the calls. */
const CLOSE_MS = 1_000;
/** A terminal signals all processes, and npm forwards its signal: signals close together count as one. */
const SAME_SIGNAL_MS = 500;
/** A channel of Node. */
const REQUEST_STARTS = 'http.server.request.start';

if (import.meta.main) {
  if (process.argv.includes('--dev')) Reflect.set(process.env, 'NODE_ENV', 'development');
  await serve(null);
}

/** In front of the pages of the Next in this process. Resolves when they may be requested. */
export async function serveNext(): Promise<void> {
  const server = await findServer(Number(process.env['PORT']));
  // Next would end the process while calls run.
  for (const signal of ['SIGINT', 'SIGTERM']) process.removeAllListeners(signal);
  await serve(server);
}

/** The server of this process on that port. Node names the server of each request, so one is sent; any other does too. */
function findServer(port: number): Promise<Server> {
  return new Promise((resolve) => {
    const check = (message: unknown): void => {
      const server: unknown = typeof message === 'object' && message !== null ? Reflect.get(message, 'server') : null;
      if (!(server instanceof Server) || addressOf(server)?.port !== port) return;
      unsubscribe(REQUEST_STARTS, check);
      request.destroy();
      resolve(server);
    };
    subscribe(REQUEST_STARTS, check);
    const request = get({ port, path: '/favicon.ico' }).on('error', () => undefined);
  });
}

function addressOf(server: Pick<Server, 'address'>): AddressInfo | null {
  const address = server.address();
  return typeof address === 'object' ? address : null;
}

/** @param next a server that Next has opened; null opens the port and loads Next */
async function serve(next: Server | null): Promise<void> {
  const bound = next === null ? null : addressOf(next);
  const environment = { ...process.env, ...(bound === null ? {} : { HOST: bound.address, PORT: String(bound.port) }) };
  const [
    { withoutHostSecrets },
    { readConfig },
    { createLogger, logConsole },
    { openStdout },
    { createKnownSecrets },
    { secretsOfConfig },
  ] = await Promise.all([
    import('#lib/host/extension-environment.ts'),
    import('#lib/host/read-config.ts'),
    import('#lib/host/logger.ts'),
    import('#lib/host/open-stdout.ts'),
    import('#lib/contract/known-secrets.ts'),
    import('#lib/host/secret-values.ts'),
  ]);
  // Packages such as Next start programs with this environment.
  const shown = withoutHostSecrets(environment);
  for (const name of Object.keys(environment)) if (!(name in shown)) Reflect.deleteProperty(process.env, name);
  const read = readConfig(environment, process.cwd());
  if (!read.ok) return refuseStart(read.reason);
  const { config } = read;
  const build = resolve(root, process.env['NEXT_DIST_DIR'] ?? '.next');
  if (next === null && !config.dev && !existsSync(join(build, 'BUILD_ID')))
    return refuseStart('The pages are not built yet. Run `npm start`, which builds them when needed, or `npm run build`.');
  Reflect.set(process.env, 'NODE_ENV', config.dev ? 'development' : 'production');

  const write = openStdout();
  const secrets = createKnownSecrets(secretsOfConfig(config));
  const isReadable = config.logFormat === 'auto' ? process.stdout.isTTY : config.logFormat === 'pretty';
  const logger = createLogger({
    write,
    readable: isReadable,
    level: config.logLevel,
    secrets,
  });
  if (!config.dev) logConsole(logger);

  const [{ createHttpServer, describeListenError }, { adoptNextPages, createNextPages }, { createMcpEndpoint }, { default: program }] =
    await Promise.all([
      import('#lib/api/node/http-server.ts'),
      import('#lib/api/node/next-pages.ts'),
      import('#lib/mcp/mcp-endpoint.ts'),
      import('./package.json', { with: { type: 'json' } }),
    ]);
  const tracing =
    config.tracing === null
      ? null
      : (await import('#lib/tracing/open-tracing.ts')).openTracing(config.tracing, program.version, (level, ...entry) =>
          logger[level](...entry),
        );
  const tracer = tracing?.tracer ?? null;
  const { dev, host: hostname } = config;
  const pages = next === null ? createNextPages({ dir: root, build, dev, hostname }) : adoptNextPages(next, dev);
  const createMcp = (host: Host): McpEndpoint => createMcpEndpoint(host, program.version);
  const http = createHttpServer({ config, logger, pages, tracer, server: next, createMcp });

  let close: ((drainMs: number) => Promise<void>) | null = null;
  let drain: (() => void) | null = null;
  let stopping = false;
  let stoppingSince = 0;
  const stop = (reason: string, exitCode: number, drainMs = 0): void => {
    if (stopping) {
      if (performance.now() - stoppingSince > SAME_SIGNAL_MS) process.exit(exitCode === 0 ? 1 : exitCode);
      return;
    }
    stopping = true;
    stoppingSince = performance.now();
    logger.info('Stopping', { reason });
    const afterDrainMs = STOP_MOST_MS - Math.min(drainMs, DRAIN_MS);
    setTimeout(() => {
      logger.error('Shutdown timed out; exiting');
      process.exit(1);
    }, drainMs + afterDrainMs).unref();
    http.beginDrain();
    drain?.();
    delay(drainMs)
      .then(async () => {
        const gone = http.stopAccepting();
        await close?.(afterDrainMs - LAST_ANSWERS_MS - LAST_SPANS_MS - CLOSE_MS);
        await Promise.all([http.close(LAST_ANSWERS_MS), gone]);
      })
      .then(() => pages.close())
      .then(() => tracing?.close(LAST_SPANS_MS))
      .then(
        () => process.exit(exitCode),
        (error: unknown) => {
          logger.error('Shutdown failed', { error });
          process.exit(1);
        },
      );
  };
  process.on('SIGTERM', () => stop('SIGTERM', 0, config.dev ? 0 : config.drainSeconds * 1_000));
  process.on('SIGINT', () => stop('SIGINT', 0));
  // The parent script is gone without a signal.
  if (process.channel) {
    process.channel.unref();
    process.on('disconnect', () => stop('the parent script exited', 0));
  }
  process.on('unhandledRejection', (error) => logger.error('Unhandled rejection', { error }));
  process.on('uncaughtException', (error) => {
    logger.error('Uncaught exception; stopping, because the state is unknown', { error });
    stop('an uncaught exception', 1);
  });

  let port: number;
  try {
    port = await http.listen();
  } catch (error) {
    return refuseStart(await describeListenError(error, config.host, config.port));
  }

  const [{ createHost }, { setCurrentHost }] = await Promise.all([import('#lib/host/create-host.ts'), import('#lib/host/current-host.ts')]);
  const made = await createHost(config, logger, environment, { tracer, secrets, version: program.version });
  if (!made.ok) return refuseStart(made.reason);
  const { host } = made;
  close = (drainMs) => host.close(drainMs);
  drain = () => host.instances.drain();
  if (stopping) return;
  setCurrentHost(host);
  http.setHost(host);

  const address = `http://${config.host.includes(':') ? `[${config.host.replace(/^\[|\]$/g, '')}]` : config.host}:${port}`;
  // Not logged: others may read the log.
  const firstAdmin = await host.accounts?.joining.firstAdminLink(config.team?.publicUrl ?? address);
  if (firstAdmin) write(`Open ${firstAdmin} to become the first admin of this server (works once, for 24 hours).\n`);
  host.ready.then(
    () => {
      if (stopping) return;
      const { snapshot_version: version, extensions } = host.health();
      logger.info(`Switchboard is ready at ${address}`, { address, snapshot_version: version, ...extensions });
      if (isReadable) write(nextSteps(config.team?.publicUrl ?? address));
    },
    (error: unknown) => {
      logger.error('The first load failed', { error });
      stop('the first load failed', 1);
    },
  );
  await Promise.race([host.ready.catch(() => undefined), new Promise((resolve) => setTimeout(resolve, PAGES_WAIT_MS).unref())]);
  if (stopping) return;
  await pages.start(port).catch(async (error: unknown) => {
    logger.error('The pages did not start', { error });
    // The log has the details.
    await host.ready.catch(() => undefined);
    stop('the pages did not start', 1);
  });
}

function nextSteps(url: string): string {
  return ['', `  Dashboard      ${url}`, `  Agents (MCP)   ${url}/mcp`, '  New extension  switchboard new tool count_lines', '', ''].join(
    '\n',
  );
}

/** Prints one line and leaves no process behind. */
function refuseStart(reason: string): never {
  process.stderr.write(`switchboard: ${reason}\n`);
  process.exit(1);
}
