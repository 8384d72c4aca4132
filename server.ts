import { existsSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Owns start and stop. The order is the point: the port first, so that health answers at once; then the host, so that
 * tools can be called; then Next, whose loading must not hold up either. SIGTERM first only fails `/readyz` and goes on serving for
 * DRAIN_SECONDS, so that a load balancer stops sending requests; then the port closes and running calls finish. A stop always ends:
 * a second signal, or a stop that takes longer than it may, exits at once.
 */

// Before any other import, so that all of them come from the cache at the next start.
const root = import.meta.dirname;
enableCompileCache(join(root, 'node_modules', '.cache', 'compile'));

/** Pages wait for the first load, but not for an extension that takes its time. */
const PAGES_WAIT_MS = 500;
/** Loading the pages stops everything else for more than that, and whoever has waited for the start calls at once. */
const FIRST_CALLS_PAUSE_MS = 20;
const FIRST_CALLS_MOST_MS = 500;
/** With the usual DRAIN_SECONDS: Docker kills what takes longer. */
const STOP_MOST_MS = 10_000;
const DRAIN_MS = 3_000;
const LAST_ANSWERS_MS = 1_000;
const LAST_SPANS_MS = 1_000;
/** For processes and the database, after the calls. */
const CLOSE_MS = 1_000;
/** A terminal signals everybody at once and npm passes its signal on too: what arrives together is one wish. */
const SAME_SIGNAL_MS = 500;

await main();

async function main(): Promise<void> {
  if (process.argv.includes('--dev')) Reflect.set(process.env, 'NODE_ENV', 'development');
  const environment = { ...process.env };
  const [
    { withoutHostSecrets },
    { readConfig },
    { createLogger },
    { openStdout },
    { takeConsole },
    { createKnownSecrets },
    { secretsOfConfig },
  ] = await Promise.all([
    import('#lib/host/extension-environment.ts'),
    import('#lib/host/read-config.ts'),
    import('#lib/host/logger.ts'),
    import('#lib/host/open-stdout.ts'),
    import('#lib/host/take-console.ts'),
    import('#lib/contract/known-secrets.ts'),
    import('#lib/host/secret-values.ts'),
  ]);
  // Packages start programs too, as Next does in development, with whatever is in here.
  const shown = withoutHostSecrets(environment);
  for (const name of Object.keys(environment)) if (!(name in shown)) Reflect.deleteProperty(process.env, name);
  const read = readConfig(environment, process.cwd());
  if (!read.ok) return refuseStart(read.reason);
  const { config } = read;
  const build = resolve(root, process.env['NEXT_DIST_DIR'] ?? '.next');
  if (!config.dev && !existsSync(join(build, 'BUILD_ID')))
    return refuseStart('The pages are not built yet. Run `npm start`, which builds them when needed, or `npm run build`.');
  Reflect.set(process.env, 'NODE_ENV', config.dev ? 'development' : 'production');

  const write = openStdout();
  const secrets = createKnownSecrets(secretsOfConfig(config));
  const logger = createLogger({
    write,
    readable: config.logFormat === 'auto' ? process.stdout.isTTY : config.logFormat === 'pretty',
    level: config.logLevel,
    secrets,
  });
  if (!config.dev) takeConsole(logger);

  const [{ createHttpServer }, { createNextPages }, { createMcpEndpoint }, { default: program }] = await Promise.all([
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
  const pages = createNextPages({ dir: root, build, dev: config.dev, hostname: config.host });
  const http = createHttpServer({ config, logger, pages, tracer, createMcp: (host) => createMcpEndpoint(host, program.version) });

  let close: ((drainMs: number) => Promise<void>) | null = null;
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
      logger.error('The stop took too long; ending at once');
      process.exit(1);
    }, drainMs + afterDrainMs).unref();
    http.beginDrain();
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
          logger.error('The stop failed', { error });
          process.exit(1);
        },
      );
  };
  process.on('SIGTERM', () => stop('SIGTERM', 0, config.dev ? 0 : config.drainSeconds * 1_000));
  process.on('SIGINT', () => stop('SIGINT', 0));
  // The script that started this process is gone without a signal.
  if (process.channel) {
    process.channel.unref();
    process.on('disconnect', () => stop('the starting script ended', 0));
  }
  process.on('unhandledRejection', (error) => logger.error('A rejection that nobody handled', { error }));
  process.on('uncaughtException', (error) => {
    logger.error('An exception that nobody caught; the server stops, as its state is no longer known', { error });
    stop('an uncaught exception', 1);
  });

  let port: number;
  try {
    port = await http.listen();
  } catch (error) {
    const { describeListenError } = await import('#lib/api/node/listen-error.ts');
    return refuseStart(await describeListenError(error, config.host, config.port));
  }

  const [{ createHost }, { setCurrentHost }] = await Promise.all([import('#lib/host/create-host.ts'), import('#lib/host/current-host.ts')]);
  const made = await createHost(config, logger, environment, { tracer, secrets });
  if (!made.ok) return refuseStart(made.reason);
  const { host } = made;
  close = (drainMs) => host.close(drainMs);
  if (stopping) return;
  setCurrentHost(host);
  http.setHost(host);

  const address = `http://${config.host.includes(':') ? `[${config.host.replace(/^\[|\]$/g, '')}]` : config.host}:${port}`;
  // Only there: the log may go to others.
  const firstAdmin = await host.accounts?.joining.firstAdminLink(config.team?.publicUrl ?? address);
  if (firstAdmin) write(`Open ${firstAdmin} to become the first admin of this server (works once, for 24 hours).\n`);
  host.ready.then(
    () => {
      if (stopping) return;
      const { snapshot_version: version, extensions } = host.health();
      logger.info(`Switchboard is ready at ${address}`, { address, snapshot_version: version, ...extensions });
    },
    (error: unknown) => {
      logger.error('The first load failed', { error });
      stop('the first load failed', 1);
    },
  );
  await Promise.race([host.ready.catch(() => undefined), new Promise((resolve) => setTimeout(resolve, PAGES_WAIT_MS).unref())]);
  if (!stopping) await http.callsAnswered(FIRST_CALLS_PAUSE_MS, FIRST_CALLS_MOST_MS);
  if (stopping) return;
  await pages.start(port).catch(async (error: unknown) => {
    logger.error('The pages could not be started', { error });
    // The log then has what else is wrong.
    await host.ready.catch(() => undefined);
    stop('the pages could not be started', 1);
  });
}

/** One line, and no half-started process left behind. */
function refuseStart(reason: string): never {
  process.stderr.write(`switchboard: ${reason}\n`);
  process.exit(1);
}
