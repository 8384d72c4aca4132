import { spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project root, independent of the working directory. */
export const ROOT = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))));

/** Variables for the server only, not for npm or the build. */
const SETTING = /^(?:EXTENSIONS?_|AUTH_|OIDC_|OTEL_|TELEGRAM_|SWITCHBOARD_|SECRETS_KEY$|DATABASE_)/;

/** The environment without the server's settings and secrets. */
export function withoutSettings() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !SETTING.test(name)));
}

/** Children that must not outlive this script. */
const living = new Set();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    if (living.size === 0) return;
    for (const child of living) child.kill(signal);
    process.exit(signal === 'SIGINT' ? 130 : 143);
  });
}

/**
 * Runs a program and collects its output. `shown`: inherits stdout and stderr instead; `both`: does both. Resolves to
 * `{ ok, output }`; never rejects.
 */
export function runCommand(command, args, { shown = false, both = false, env = withoutSettings() } = {}) {
  return new Promise((resolve) => {
    const parts = [];
    const child = spawn(command, args, { cwd: ROOT, env, stdio: shown ? 'inherit' : ['ignore', 'pipe', 'pipe'] });
    living.add(child);
    const keep = (to) => (part) => {
      parts.push(part);
      if (both) to.write(part);
    };
    child.stdout?.on('data', keep(process.stdout));
    child.stderr?.on('data', keep(process.stderr));
    const finish = (ok, more = '') => {
      living.delete(child);
      resolve({ ok, output: Buffer.concat(parts).toString('utf8') + more });
    };
    child.once('error', (error) => finish(false, `${command} did not start: ${error.message}\n`));
    child.once('close', (code) => finish(code === 0));
  });
}

/** Prints one status line. */
export function say(line) {
  console.log(`switchboard: ${line}`);
}

/** Exits with a reason and a hint. */
export function stopWith(reason, output = '') {
  if (output.trim() !== '') console.error(output.trimEnd());
  console.error(`switchboard: ${reason}`);
  process.exit(1);
}
