#!/usr/bin/env node
import { spawn } from 'node:child_process';
import nodeModule from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPackages, nodeProgram } from './set-up/install-packages.mjs';
import { ROOT } from './set-up/run-command.mjs';

/**
 * `npx switchboard`: the command line, from a clone, on Node 20 or newer. Commands run on the pinned Node, in this process if
 * it is the current one. Set-up messages go to stderr, because stdout belongs to the command.
 */

const NEEDED_MAJOR = 26;
console.log = console.error;
await installPackages();

if (Number(process.versions.node.split('.')[0]) >= NEEDED_MAJOR) {
  nodeModule.enableCompileCache(path.join(ROOT, 'node_modules', '.cache', 'compile'));
  await import('./commands/main.ts');
} else {
  const child = spawn(nodeProgram(), [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  // The terminal signals both processes; the child sets the exit code.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('error', (error) => {
    console.error(`switchboard: Node did not start: ${error.message}`);
    process.exit(3);
  });
  child.once('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)));
}
