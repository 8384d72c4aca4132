import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import path from 'node:path';
import { setUp } from './set-up.mjs';
import { SERVER_ENVIRONMENT, serverProgram } from './set-up/bundle-server.mjs';
import { nodeProgram } from './set-up/install-packages.mjs';
import { ROOT, say, stopWith } from './set-up/run-command.mjs';

/**
 * `npm start` and `npm run dev`: set up what is missing, then run the server on the pinned Node. Whatever ends one of npm,
 * this script and the server must end all three: signals are passed on, the server notices a lost channel to this script,
 * and a script whose npm is gone ends as if it had been told to. npm signals the shell that it starts, and a waiting shell
 * keeps an interrupt to itself; hence the `exec` in the scripts of package.json.
 */

const RESTART_MS = 150;
const PARENT_CHECK_MS = 500;
const IGNORED = /\.test\.tsx?$|(^|[\\/])(testing|fixtures|client)[\\/]/;

const options = process.argv.slice(2);
const unknown = options.find((option) => option !== '--dev');
if (unknown !== undefined)
  stopWith(`"${unknown}" is not an option; accepted: --dev. Settings are variables of the environment, see README.md.`);
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
  // From outside, so that server.ts itself comes from the cache too and nothing loads the stripper of types.
  const NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE ?? path.join(ROOT, 'node_modules', '.cache', 'compile');
  const env = {
    ...SERVER_ENVIRONMENT,
    ...process.env,
    NODE_COMPILE_CACHE,
    NODE_ENV: dev ? 'development' : 'production',
    NEXT_TELEMETRY_DISABLED: '1',
  };
  const program = dev ? [path.join(ROOT, 'server.ts')] : serverProgram();
  const started = spawn(nodeProgram(), program, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env });
  server = started;
  started.once('error', (error) => stopWith(`the server could not be started: ${error.message}`));
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

/** Pages reload by themselves; the host's own code needs a new process. */
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
