import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPythonInterpreters } from './python-interpreter.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'interpreter-'))));
afterEach(() => rmSync(folder, { recursive: true }));

function program(script: string): string {
  const file = path.join(folder, 'python');
  writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return file;
}

describe('an interpreter', () => {
  it('that does not answer in time is not reported as missing', async () => {
    const python = program(`[ -e ${folder}/ready ] || exec sleep 600\necho /usr/bin/python3\necho 3.12.1\necho /usr/lib/python3`);
    const hasty = createPythonInterpreters({ python, environment: { PATH: '/usr/bin:/bin' }, answersWithinMs: 300 });
    expect(await hasty.find(null)).toEqual({
      ok: false,
      failure: { code: 'start_timeout', message: `${python} was started but did not name its version within 300 ms.` },
    });
    writeFileSync(path.join(folder, 'ready'), '');
    const interpreters = createPythonInterpreters({ python, environment: { PATH: '/usr/bin:/bin' } });
    expect(await interpreters.find(null)).toMatchObject({ ok: true, program: '/usr/bin/python3', path: ['/usr/lib/python3'] });
  });

  it('that is another program is missing', async () => {
    for (const script of ['exit 3', 'echo hello'])
      expect(await createPythonInterpreters({ python: program(script), environment: {} }).find(null)).toMatchObject({
        failure: { code: 'runtime_missing', message: expect.stringContaining('cannot be run as Python') },
      });
  });
});
