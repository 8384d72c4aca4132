import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { isServing } from '#lib/host/current-host.ts';

/**
 * Next calls it before it answers requests. Behind `server.ts` nothing is left to do; a Next without it gets its host, its API
 * and the checks of each request here. Next does not bundle the program, which would make copies of its modules: it is the bundle
 * of `npm start`, or the sources if they changed since.
 */
export async function register(): Promise<void> {
  if (process.env['NEXT_RUNTIME'] !== 'nodejs' || isServing()) return;
  const bundle = pathToFileURL(path.resolve('bin/set-up/bundle-server.mjs')).href;
  const { serverProgram } = (await import(/* turbopackIgnore: true */ bundle)) as typeof import('./bin/set-up/bundle-server.mjs');
  const program = pathToFileURL(serverProgram().at(-1) ?? '').href;
  const { serveNext } = (await import(/* turbopackIgnore: true */ program)) as typeof import('./server.ts');
  await serveNext();
}
