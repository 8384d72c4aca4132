import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { buildChildProgram } from './child-program.ts';

const importOf = (names: string, file: string): string =>
  `import { ${names} } from ${JSON.stringify(pathToFileURL(path.join(import.meta.dirname, file)).href)};`;

/** Runs a program; its `leaveNone()` opens files until no descriptor is left, and returns a function that frees some. */
async function run(program: string): Promise<unknown> {
  const before = `
import { closeSync, openSync } from 'node:fs';
const leaveNone = () => {
  const open = [];
  try {
    for (;;) open.push(openSync('/dev/null'));
  } catch {}
  return () => open.splice(-16).forEach((one) => closeSync(one));
};`;
  const command = ['-c', 'ulimit -n 128; exec "$0" --input-type=module -e "$1"', process.execPath, `${before}\n${program}`];
  const { stdout } = await promisify(execFile)('/bin/sh', command);
  return JSON.parse(stdout);
}

it('ends with the reason when no file descriptor is left', async () => {
  const ended = await run(`
${importOf('startFramedProcess', 'framed-process.ts')}
leaveNone();
const limits = { maxHeaderBytes: 1000, maxFrameBytes: 1000 };
const started = startFramedProcess({ command: ['/bin/true'], environment: {}, workingDirectory: '/', limits });
started.send({ type: 'ping', id: 1 });
console.log(JSON.stringify(await started.ended));`);
  expect(ended).toMatchObject({ reason: 'spawn_failed', detail: 'spawn /bin/true EMFILE' });
});

it('asks an interpreter again that could not be started for lack of file descriptors', async () => {
  const found = await run(`
${importOf('createPythonInterpreters', 'python-interpreter.ts')}
const interpreters = createPythonInterpreters({ python: process.execPath, environment: {} });
leaveNone();
console.log(JSON.stringify([await interpreters.find(null), await interpreters.find(null)]));`);
  const failure = { code: 'spawn_failed', message: expect.stringMatching(/could not be started: spawn .* EMFILE$/) };
  expect(found).toEqual([
    { ok: false, failure },
    { ok: false, failure },
  ]);
});

it('reports no schema as faulty for lack of file descriptors, and checks values once some are free', async () => {
  const cacheDir = mkdtempSync(path.join(tmpdir(), 'no-descriptors-'));
  await buildChildProgram(cacheDir, 'guard');
  const checked = await run(`
${importOf('createSchemaGuard', 'schema-guard.ts')}
${importOf('startNodeProcess', 'node-process.ts')}
const settings = { prefix: [], memoryMb: 100, maxResultBytes: 1000, workspaceRoot: '/', environment: {} };
const start = async (childProgram) => startNodeProcess({ ...settings, childProgram }, ['--allow-fs-read=${cacheDir}']);
const guard = createSchemaGuard({ cacheDir: ${JSON.stringify(cacheDir)}, start });
const running = setInterval(() => undefined, 1_000);
const free = leaveNone();
const fault = await guard.inspect('{}');
const checking = guard.check('{ "type": "object" }', 'arguments', '{}');
setImmediate(free);
const checked = await checking;
clearInterval(running);
console.log(JSON.stringify({ fault, checked }));
await guard.close();`);
  rmSync(cacheDir, { recursive: true });
  expect(checked).toEqual({
    fault: { path: '', message: expect.stringContaining('EMFILE'), isUnchecked: true },
    checked: { ok: true, text: '{}' },
  });
});
