import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPackages } from './set-up/install-packages.mjs';
import { nodeProgram } from './set-up/node-program.mjs';

/**
 * `npm run check`: installs missing packages, then runs static checks and unit tests. Runs on Node 20 or newer; the tools run on
 * the pinned Node, found by path because PATH may have another. Two steps run at a time, the slowest first. A step that hangs is
 * killed with its process group.
 */

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const CONCURRENCY = 2;
const STEP_TIMEOUT_MS = 240_000;
/** Cores of a step. Each further type checker computes most types again, so more of them than cores only cost time. */
const CORES = String(Math.max(1, Math.floor(availableParallelism() / CONCURRENCY)));

// A pull may have changed the lock file; checks with other packages show errors that are not there.
await installPackages();

const node = nodeProgram();

/** Path of a package's executable. */
function program(packageName, command = packageName) {
  const folder = path.join(root, 'node_modules', packageName);
  const { bin } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  return path.join(folder, typeof bin === 'string' ? bin : bin[command]);
}

/** Without information from earlier runs, which could hide an error. */
const typesOf = (config) => [program('typescript', 'tsc'), '-p', config, '--incremental', 'false', '--checkers', CORES];

const steps = [
  { name: 'unit tests', commands: [[program('vitest'), 'run', '--project', '!integration*', '--silent=passed-only']] },
  {
    name: 'types of pages',
    commands: [[program('next'), 'typegen'], typesOf('tsconfig.json')],
  },
  {
    name: 'types of node',
    commands: [
      typesOf('tsconfig.node.json'),
      // These scripts run before the pinned Node is installed, so they may use only APIs of Node 20.
      typesOf(path.join('bin', 'set-up', 'tsconfig.any-node.json')),
    ],
  },
  { name: 'dead code', commands: [[program('knip'), '--no-progress']] },
  { name: 'lint', commands: [[program('oxlint'), '--deny-warnings']] },
  { name: 'imports', commands: [[path.join('bin', 'check', 'check-imports.ts')]] },
  { name: 'words', commands: [[path.join('bin', 'check', 'check-words.ts')]] },
  { name: 'format', commands: [[program('oxfmt'), '--check', '.']] },
];

const wanted = process.argv.slice(2);
const known = steps.map((step) => step.name);
const unknown = wanted.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`Unknown step: ${unknown.join(', ')}. Steps: ${known.join(', ')}.`);
  process.exit(1);
}

const living = new Set();
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    for (const child of living) endGroup(child);
    process.exit(signal === 'SIGINT' ? 130 : 143);
  });
}

const started = performance.now();
const waiting = steps.filter((step) => wanted.length === 0 || wanted.includes(step.name));
const failed = [];
await Promise.all(Array.from({ length: CONCURRENCY }, runSteps));
const verdict = failed.length === 0 ? 'passed' : `failed: ${failed.join(', ')}`;
console.log(`${verdict} (${seconds(started)})`);
process.exitCode = failed.length === 0 ? 0 : 1;

async function runSteps() {
  for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
    const begun = performance.now();
    let outcome = { ok: true, output: '' };
    for (const command of step.commands) {
      outcome = await run(command);
      if (!outcome.ok) break;
    }
    console.log(`${outcome.ok ? 'ok    ' : 'FAILED'} ${step.name.padEnd(15)} ${seconds(begun)}`);
    if (outcome.ok) continue;
    failed.push(step.name);
    console.log(outcome.output.trimEnd().replaceAll(/^/gm, '  '));
  }
}

/** Never rejects. Output contains stdout and stderr in order. */
function run(command) {
  return new Promise((resolve) => {
    const child = spawn(node, command, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      env: { ...process.env, GOMAXPROCS: CORES, NEXT_TELEMETRY_DISABLED: '1', NO_COLOR: '1', FORCE_COLOR: undefined },
    });
    living.add(child);
    const parts = [];
    child.stdout.on('data', (part) => parts.push(part));
    child.stderr.on('data', (part) => parts.push(part));
    const timer = setTimeout(() => {
      parts.push(Buffer.from(`\nTimed out after ${STEP_TIMEOUT_MS / 1000} s.\n`));
      endGroup(child);
    }, STEP_TIMEOUT_MS);
    const finish = (ok) => {
      clearTimeout(timer);
      living.delete(child);
      resolve({ ok, output: Buffer.concat(parts).toString('utf8') });
    };
    child.once('error', (error) => {
      parts.push(Buffer.from(`${command[0]} did not start: ${error.message}\n`));
      finish(false);
    });
    child.once('close', (code) => finish(code === 0));
  });
}

function endGroup(child) {
  try {
    if (process.platform === 'win32') child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

function seconds(since) {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
