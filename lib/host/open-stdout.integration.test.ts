import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

/** More than the buffer of a pipe. */
const LINES = 5_000;

/** A process that writes that many lines to its stdout, reports it on stderr, and then runs the given code. */
function startWriter(then: string): ChildProcess & { readonly stdout: object; readonly stderr: object } {
  const program = `
    import { openStdout } from ${JSON.stringify(path.join(import.meta.dirname, 'open-stdout.ts'))};
    const write = openStdout();
    for (let at = 1; at <= ${LINES}; at += 1) write(\`\${String(at).padStart(99, '.')}\\n\`);
    process.stderr.write('written');
    ${then}`;
  return spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'pipe'], timeout: 20_000 });
}

test('does not block without a reader, and loses no line once there is one', async () => {
  const writer = startWriter(`setTimeout(() => undefined, 500);`);
  expect(await once(writer.stderr, 'data').then(String)).toBe('written');
  const lines = (await text(writer.stdout)).trimEnd().split('\n');
  expect(lines).toHaveLength(LINES);
  expect(lines.map((line) => Number(line.replaceAll('.', '')))).toEqual(lines.map((_line, at) => at + 1));
});

test('loses no line when the process ends immediately', async () => {
  const writer = startWriter(`process.exit(3);`);
  await once(writer.stderr, 'data');
  const lines = await text(writer.stdout);
  expect(lines).toHaveLength(LINES * 100);
});

test('lets the process end without a reader', async () => {
  const writer = startWriter(`process.exit(3);`);
  expect(await once(writer, 'exit')).toEqual([3, null]);
  writer.stdout.destroy();
});

test('lets the process continue when the reader is gone', async () => {
  const writer = startWriter(`setTimeout(() => { write('late'); process.exit(3); }, 200);`);
  writer.stdout.destroy();
  expect(await once(writer, 'exit')).toEqual([3, null]);
});
