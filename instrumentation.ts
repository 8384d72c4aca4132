import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { isServing } from '#lib/host/current-host.ts';

/**
 * Next calls it before it answers requests. Behind `server.ts` nothing is left to do; a Next without it gets its host, its API
 * and the checks of each request here. The program is not bundled: Next would make copies of its modules.
 */
export async function register(): Promise<void> {
  if (process.env['NEXT_RUNTIME'] !== 'nodejs' || isServing()) return;
  const program = pathToFileURL(path.resolve('server.ts')).href;
  const { serveNext } = (await import(/* turbopackIgnore: true */ program)) as typeof import('./server.ts');
  await serveNext();
}
