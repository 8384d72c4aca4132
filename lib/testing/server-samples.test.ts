import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { scanServerFolder, scanServerList } from '#lib/loader/scan-servers.ts';
import { createServerBuilder } from '#lib/loader/server-builder.ts';
import { expandVariables } from '#lib/runtime/children/expand-variables.ts';
import { serverProgramSchema } from '#lib/runtime/server-program.ts';

const samples = path.resolve(import.meta.dirname, '../../docs/samples');
const artifactsDir = mkdtempSync(path.join(tmpdir(), 'servers-'));
afterAll(() => rmSync(artifactsDir, { recursive: true }));

describe('the samples of mcp.json', () => {
  it.each([
    { folder: 'servers', ids: ['github', 'browser'], prefixes: ['github__', 'browser__'] },
    { folder: 'files', ids: ['files'], prefixes: [''] },
  ])('$folder is read without a warning and needs only the variables it shows', async ({ folder, ids, prefixes }) => {
    const file = path.join(samples, folder, 'mcp.json');
    const { candidates, failed } = folder === 'servers' ? await scanServerList(file) : await scanServerFolder(folder, file);
    expect(failed).toEqual([]);
    expect(candidates.map(({ id }) => id)).toEqual(ids);
    const extensionsDir = folder === 'servers' ? path.join(samples, folder) : samples;
    const builder = createServerBuilder({ extensionsDir, artifactsDir });
    for (const [index, candidate] of candidates.entries()) {
      const built = await builder.build(candidate);
      if (!built.ok) throw new Error(built.failure.message);
      const program = serverProgramSchema.parse(JSON.parse(readFileSync(built.artifact.programFile, 'utf8')));
      expect(program).toMatchObject({ warnings: [], prefix: prefixes[index] });
      const expanded = expandVariables(
        program.connection,
        { variables: { GITHUB_TOKEN: 'secret', WORKSPACE_ROOT: '/work' }, secrets: {} },
        [],
      );
      expect(expanded).toMatchObject({ ok: true });
      expect(JSON.stringify(expanded)).not.toContain('${');
    }
  });
});
