import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { removeFolders } from './extension-folder.ts';
import { measureCalls } from './measure-calls.ts';
import { measureHistory } from './measure-history.ts';
import { measureLoads } from './measure-loads.ts';
import { measureMcp } from './measure-mcp.ts';
import { measureMemory } from './measure-memory.ts';
import { measureReloads } from './measure-reloads.ts';
import { measureRetention } from './measure-retention.ts';
import { measureSaves } from './measure-saves.ts';
import { measureSecrets } from './measure-secrets.ts';
import { measureSoak } from './measure-soak.ts';
import { measureStarts } from './measure-starts.ts';
import { sectionText } from './report.ts';
import type { Section } from './report.ts';
import { killServers, ROOT } from './servers.ts';

/** Runs the sections one after the other, never beside each other, and tells what they found. Nothing here fails for being slow. */

const SECTIONS: Readonly<Record<string, (isQuick: boolean) => Promise<Section>>> = {
  saves: measureSaves,
  calls: measureCalls,
  mcp: measureMcp,
  reloads: measureReloads,
  starts: measureStarts,
  loads: measureLoads,
  memory: measureMemory,
  secrets: measureSecrets,
  history: measureHistory,
  retention: measureRetention,
};
/** Takes minutes and is no comparison: only where it is asked for by name, `--minutes N` long. */
const SOAK = 'soak';
const OPTIONS = ['--quick', '--write'];
const TARGET = path.join(ROOT, 'docs', 'benchmarks.md');

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    killServers();
    void removeFolders().finally(() => process.exit(1));
  });
}

const given = process.argv.slice(2);
const minutes = readMinutes();
const unknown = given.find((word) => !OPTIONS.includes(word) && !(word in SECTIONS) && word !== SOAK);
if (unknown !== undefined) {
  console.error(
    `"${unknown}" is neither a section (${[...Object.keys(SECTIONS), SOAK].join(', ')}) nor an option (${OPTIONS.join(', ')}).`,
  );
  process.exit(1);
}
const isQuick = given.includes('--quick');
const chosen = Object.keys(SECTIONS).filter((name) => given.includes(name));
if (given.includes('--write') && chosen.length > 0) {
  console.error(`--write writes all sections of docs/benchmarks.md, or with ${SOAK} that one; leave the names of the others out.`);
  process.exit(1);
}

const head = machineText();
console.log(`${head}\n`);
const texts: string[] = [];
for (const [name, measure] of Object.entries(SECTIONS)) {
  if ((chosen.length > 0 || given.includes(SOAK)) && !chosen.includes(name)) continue;
  const before = loadText();
  const began = performance.now();
  const found = sectionText(await measure(isQuick));
  const took = Math.round((performance.now() - began) / 1_000);
  const text = `${found}\n\nIt took ${took} s. Load average of the machine: ${before} before, ${loadText()} after.`;
  texts.push(text);
  console.log(`${text}\n`);
}
if (given.includes(SOAK)) {
  const before = loadText();
  const found = sectionText(await measureSoak(minutes));
  const text = `${found}\n\nMeasured for itself by \`npm run bench -- ${SOAK} --minutes ${minutes}\` at ${now()}, revision ${revision()}. Load average of the machine: ${before} before, ${loadText()} after.`;
  console.log(`${text}\n`);
  if (given.includes('--write')) writeTarget(`${writtenBefore().all}\n\n${text}`);
} else if (given.includes('--write')) {
  const intro =
    'Written by `npm run bench -- --write`; all figures are from one run. They depend on the machine and on what else it does: compare the columns with each other, and runs only on the same machine at rest.';
  writeTarget([['# Benchmarks', intro, head, ...texts].join('\n\n'), ...writtenBefore().soak].join('\n\n'));
}

/** The page as it is: the soak takes its time and stays until it is run again. */
function writtenBefore(): { readonly all: string; readonly soak: readonly string[] } {
  const page = existsSync(TARGET) ? readFileSync(TARGET, 'utf8').trimEnd() : '# Benchmarks';
  const at = page.indexOf('\n\n## Soak\n');
  return at === -1 ? { all: page, soak: [] } : { all: page.slice(0, at), soak: [page.slice(at + 2)] };
}

function writeTarget(page: string): void {
  writeFileSync(TARGET, `${page}\n`);
  console.log(`written to ${path.relative(ROOT, TARGET)}`);
}

function now(): string {
  return new Date().toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Takes the number out of what was given. */
function readMinutes(): number {
  const at = given.indexOf('--minutes');
  if (at === -1) return 10;
  const [, word = ''] = given.splice(at, 2);
  const value = Number(word);
  if (value > 0 && value <= 1_440) return value;
  console.error(`--minutes is "${word}"; accepted: a number above 0, at most 1440.`);
  process.exit(1);
}

/** Of the last minute, our own share included: what else ran shows where it is high before a section. */
function loadText(): string {
  return (os.loadavg()[0] ?? 0).toFixed(1);
}

function machineText(): string {
  const [cpu] = os.cpus();
  const facts = [
    ['date', now()],
    ['command', `npm run bench${given.length === 0 ? '' : ` -- ${given.join(' ')}`}`],
    ['revision', revision()],
    ['processor', `${os.availableParallelism()} × ${cpu?.model.trim() ?? 'unknown'}`],
    ['memory', `${(os.totalmem() / 1_073_741_824).toFixed(1)} GB`],
    ['system', `${os.type()} ${os.release()} ${os.arch()}`],
    ['Node', process.version],
  ];
  return facts.map(([name, value]) => `- ${name}: ${value}`).join('\n');
}

function revision(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return 'unknown';
  }
}
