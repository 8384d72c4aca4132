import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import path from 'node:path';
import { setUp } from './set-up.mjs';
import { serverProgram } from './set-up/bundle-server.mjs';
import { nodeProgram } from './set-up/node-program.mjs';
import { ROOT, say, stopWith } from './set-up/run-command.mjs';
import { SERVER_ENVIRONMENT } from './set-up/server-process.mjs';

/**
 * `npm start` and `npm run dev`: install and build what is missing, then run the server on the pinned Node. When npm, this
 * script or the server ends, all three must end: signals are forwarded, the server exits when its IPC channel closes, and
 * this script exits when npm is gone. npm signals its shell, which would not forward an interrupt while waiting; therefore
 * package.json uses `exec`.
 */

const RESTART_MS = 150;
const PARENT_CHECK_MS = 500;
const IGNORED = /\.test\.tsx?$|(^|[\\/])(testing|fixtures|client)[\\/]/;

const options = process.argv.slice(2);
const unknown = options.find((option) => option !== '--dev');
if (unknown !== undefined)
  stopWith(`"${unknown}" is not an option; accepted: --dev. Settings are environment variables, see docs/operating.md.`);
const dev = options.includes('--dev');

let server = null;
let ending = null;
let restarting = false;

await setUp({ build: !dev });
if (ending === null) startServer();
if (dev) watchHost();

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => end(signal));

const parent = process.ppid;
if (process.env.npm_lifecycle_event !== undefined) {
  setInterval(() => {
    if (process.ppid !== parent && ending === null) end('SIGTERM');
  }, PARENT_CHECK_MS).unref();
}

function end(signal) {
  ending = signal;
  if (server === null) process.exit(0);
  server.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal);
}

function startServer() {
  // Set here, so that server.ts comes from the compile cache too and Node does not load its type stripper.
  const NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE ?? path.join(ROOT, 'node_modules', '.cache', 'compile');
  const env = {
    ...SERVER_ENVIRONMENT,
    ...process.env,
    NODE_COMPILE_CACHE,
    NODE_ENV: dev ? 'development' : 'production',
  };
  const program = dev ? [path.join(ROOT, 'server.ts')] : serverProgram();
  const started = spawn(nodeProgram(), program, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env });
  server = started;
  started.once('error', (error) => stopWith(`the server did not start: ${error.message}`));
  started.once('exit', (code, signal) => {
    server = null;
    if (restarting) {
      restarting = false;
      startServer();
      return;
    }
    process.exit(code ?? (signal === 'SIGINT' ? 130 : signal === 'SIGKILL' ? 137 : 143));
  });
}

/** Pages hot-reload; host code needs a new process. */
function watchHost() {
  let timer;
  const changed = (_event, file) => {
    if (ending !== null || (file !== null && IGNORED.test(file))) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      say(`${file ?? 'the host'} changed; restarting`);
      if (server === null) return startServer();
      restarting = true;
      server.kill('SIGTERM');
    }, RESTART_MS);
  };
  watch(path.join(ROOT, 'lib'), { recursive: true }, changed);
  watch(path.join(ROOT, 'server.ts'), changed);
}
