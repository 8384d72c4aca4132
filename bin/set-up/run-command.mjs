import { spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the project, whatever the working directory is. */
export const ROOT = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))));

/** What only the server needs to know; neither npm nor the build of the pages does. */
const SETTING = /^(?:EXTENSIONS?_|AUTH_|OIDC_|OTEL_|TELEGRAM_|SWITCHBOARD_|SECRETS_KEY$|DATABASE_URL$)/;

/** The environment without the settings of the server, its secrets among them. */
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
 * Runs a program to its end. Its output is collected and given back; `shown`: it goes where ours goes instead, `both`: as well.
 * Resolves to `{ ok, output }`; never rejects.
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
    child.once('error', (error) => finish(false, `${command} could not be started: ${error.message}\n`));
    child.once('close', (code) => finish(code === 0));
  });
}

/** One plain line for each thing that is done. */
export function say(line) {
  console.log(`switchboard: ${line}`);
}

/** Ends the script with a reason and what to do about it. */
export function stopWith(reason, output = '') {
  if (output.trim() !== '') console.error(output.trimEnd());
  console.error(`switchboard: ${reason}`);
  process.exit(1);
}
