import { execFile } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const MODULE = pathToFileURL(path.join(import.meta.dirname, 'framed-process.ts')).href;
const PROGRAM = `
import { openSync } from 'node:fs';
import { startFramedProcess } from ${JSON.stringify(MODULE)};
try {
  for (;;) openSync('/dev/null');
} catch {}
const limits = { maxHeaderBytes: 1000, maxFrameBytes: 1000 };
const started = startFramedProcess({ command: ['/bin/true'], environment: {}, workingDirectory: '/', limits });
started.send({ type: 'ping', id: 1 });
console.log(JSON.stringify(await started.ended));`;

it('ends with the reason when no file descriptor is left', async () => {
  const command = ['-c', 'ulimit -n 128; exec "$0" --input-type=module -e "$1"', process.execPath, PROGRAM];
  const { stdout } = await promisify(execFile)('/bin/sh', command);
  expect(JSON.parse(stdout)).toMatchObject({ reason: 'spawn_failed', detail: 'spawn /bin/true EMFILE' });
});
