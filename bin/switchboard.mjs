#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import nodeModule from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { NODE_MISSING, ownNodeFits, pinnedNode, removeHeaders } from './set-up/node-program.mjs';

/**
 * `switchboard`: the command line, from an installed package or a clone, on Node 20 or newer. Commands run in this process if
 * its Node is new enough, else on the pinned one. Set-up messages go to stderr, because stdout belongs to the command.
 */

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const isClone = existsSync(path.join(ROOT, 'server.ts'));

if (isClone) {
  console.log = console.error;
  const { installPackages } = await import('./set-up/install-packages.mjs');
  await installPackages();
} else {
  process.env.DATA_DIR ||= '.switchboard';
  // A package is often installed by another user, or in a folder that npx clears.
  const caches = process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache');
  process.env.NODE_COMPILE_CACHE ||= path.join(caches, 'switchboard', 'compile');
  removeHeaders();
}

if (ownNodeFits()) {
  nodeModule.enableCompileCache(path.join(ROOT, 'node_modules', '.cache', 'compile'));
  if (isClone) await import('./commands/main.ts');
  else await import(pathToFileURL(path.join(ROOT, 'dist', 'commands.js')).href);
} else {
  const node = pinnedNode();
  if (node === null) fail(NODE_MISSING);
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  // The terminal signals both processes; the child sets the exit code.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('error', (error) => fail(`Node did not start: ${error.message}`));
  child.once('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)));
}

function fail(reason) {
  console.error(`switchboard: ${reason}`);
  process.exit(3);
}
