import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type LivingHost, startHost } from '#lib/testing/living-host.ts';

let living: LivingHost;
afterEach(() => living.remove());

/** Its sources are elsewhere, behind a link in the extensions folder. */
async function startLinked(source: string, helper: string): Promise<void> {
  living = await startHost({}, { prewarms: true });
  const elsewhere = path.join(living.folder, 'elsewhere');
  await mkdir(elsewhere);
  await writeFile(path.join(elsewhere, 'extension.ts'), source);
  await writeFile(path.join(elsewhere, 'helper.ts'), helper);
  await symlink(elsewhere, path.join(living.folder, 'extensions/linked'));
  await living.reload();
}

const HELPER =
  "const unset: string | undefined = undefined;\n\nif (unset === undefined) throw new Error('settings are missing');\nexport const half = 1;";
const TOOL = `import './helper.ts';
export const TOOL = {
  label: 'Test', name: 'fail', description: 'Fails to show where.', parameters: {},
  execute() {
    throw new Error('the pump is off');
  },
};`;

describe('an extension that is a link to a folder elsewhere', () => {
  it('reports import errors with file and line, relative to the extensions folder', async () => {
    await startLinked(TOOL, HELPER);
    expect(living.extension('linked')?.failure).toMatchObject({
      code: 'import_error',
      message: expect.stringContaining('settings are missing'),
      file: 'linked/helper.ts',
      line: 3,
      code_frame: expect.stringContaining('> 3 |'),
      stack: expect.stringContaining('linked/helper.ts:3:'),
    });
  });

  it('reports syntax errors there, too', async () => {
    await startLinked(`${TOOL}\nconst a b;`, 'export {};');
    expect(living.extension('linked')?.failure).toMatchObject({ code: 'syntax_error', file: 'linked/extension.ts', line: 8 });
  });
});
