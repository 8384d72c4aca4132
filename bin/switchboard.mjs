#!/usr/bin/env node
import { spawn } from 'node:child_process';
import nodeModule from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPackages, nodeProgram } from './set-up/install-packages.mjs';
import { ROOT } from './set-up/run-command.mjs';

/**
 * `npx switchboard`: the command line, from a bare clone, on any Node from 20 on. The commands run on the pinned Node; where
 * that is the one we run on, in this process. What setting up has to say goes to stderr: stdout belongs to the command.
 */

const NEEDED_MAJOR = 26;
console.log = console.error;
await installPackages();

if (Number(process.versions.node.split('.')[0]) >= NEEDED_MAJOR) {
  nodeModule.enableCompileCache(path.join(ROOT, 'node_modules', '.cache', 'compile'));
  await import('./commands/main.ts');
} else {
  const child = spawn(nodeProgram(), [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  // The terminal signals both; the child decides how it ends.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('error', (error) => {
    console.error(`switchboard: Node could not be started: ${error.message}`);
    process.exit(3);
  });
  child.once('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)));
}
