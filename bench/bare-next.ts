import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ROOT, startServer } from './servers.ts';
import type { BenchServer } from './servers.ts';

/**
 * A Next application with one route handler, built and started by Next's command. It is inside the project, because Next
 * resolves itself from parent folders.
 */
const NEXT = path.join(ROOT, 'node_modules', 'next', 'dist', 'bin', 'next');
const FILES: Readonly<Record<string, string>> = {
  'package.json': '{ "private": true, "type": "module" }',
  'next.config.mjs': `export default { turbopack: { root: ${JSON.stringify(ROOT)} }, typescript: { ignoreBuildErrors: true } };`,
  'app/layout.jsx': 'export default function Layout({ children }) { return <html lang="en"><body>{children}</body></html>; }',
  'app/page.jsx': 'export default function Page() { return <p>benchmark</p>; }',
  'app/echo/route.js': 'export async function POST(request) { return Response.json(await request.json()); }',
};

export async function startBareNext(): Promise<BenchServer> {
  const cache = path.join(ROOT, '.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(path.join(cache, 'bench-next-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    for (const [name, text] of Object.entries(FILES)) {
      await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
      await writeFile(path.join(folder, name), text);
    }
    await build(folder);
    const server = await startServer([NEXT, 'start', folder, '-H', '127.0.0.1'], { NEXT_DIST_DIR: '.next' });
    return {
      ...server,
      async end() {
        await server.end();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function build(folder: string): Promise<void> {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [NEXT, 'build', folder], {
    cwd: folder,
    env: { PATH, HOME, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed: Buffer[] = [];
  child.stdout.on('data', (part: Buffer) => printed.push(part));
  child.stderr.on('data', (part: Buffer) => printed.push(part));
  await once(child, 'close');
  if (child.exitCode !== 0) throw new Error(`The build of the bare Next application failed:\n${Buffer.concat(printed).toString('utf8')}`);
}
