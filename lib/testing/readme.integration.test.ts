import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { type LivingHost, startHost } from './living-host.ts';

const root = path.dirname(path.dirname(import.meta.dirname));
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const page = read('README.md');

const SAMPLE = /<!-- sample: (\S+) -->\n```ts\n([^]*?)\n```/;
const [, file = '', code = ''] = SAMPLE.exec(page) ?? [];
const saved = /Save this as `extensions\/([^`]+)`/.exec(page)?.[1] ?? '';
const asked = z.object({ arguments: z.record(z.string(), z.unknown()) }).parse(JSON.parse(/-d '(\{.*\})'/.exec(page)?.[1] ?? ''));
const answered = z.record(z.string(), z.unknown()).parse(JSON.parse(/```json\n(.*)\n```/.exec(page)?.[1] ?? ''));

describe('README.md', () => {
  let living: LivingHost;
  beforeAll(async () => {
    living = await startHost();
  });
  afterAll(() => living.remove());

  it('shows the complete sample, in 30 lines at most', () => {
    expect(code).toBe(read(file).trimEnd());
    expect(code.split('\n').length).toBeLessThanOrEqual(30);
  });

  it('describes reloads correctly: the saved tool is callable, the broken one keeps serving, the fixed one is ready', async () => {
    const { save, call, extension } = living;
    const { '…': _more, ...expected } = answered;
    const tool = z.string().parse(expected['tool']);
    const id = path.dirname(saved);

    await save({ [saved]: code });
    await vi.waitFor(() => expect(extension(id)).toMatchObject({ state: 'ready', serving_revision: 1 }), { timeout: 15_000 });
    expect(await call(tool, asked.arguments)).toMatchObject(expected);

    await save({ [saved]: code.replace(/};$/, '') });
    await vi.waitFor(
      () =>
        expect(extension(id)).toMatchObject({
          state: 'degraded',
          revision: 2,
          serving_revision: 1,
          failure: { code: 'syntax_error', file: saved, line: expect.any(Number), column: expect.any(Number) },
        }),
      { timeout: 15_000 },
    );
    expect(await call(tool, asked.arguments)).toMatchObject(expected);

    await save({ [saved]: code });
    await vi.waitFor(() => expect(extension(id)).toMatchObject({ state: 'ready', failure: null }), { timeout: 15_000 });
    expect(await call(tool, asked.arguments)).toMatchObject(expected);
  });

  it('names only existing commands', () => {
    const { scripts } = z.object({ scripts: z.record(z.string(), z.string()) }).parse(JSON.parse(read('package.json')));
    const pages = ['README.md', 'AGENTS.md', 'docs/operating.md', 'docs/security.md', 'docs/api.md'].map(read).join('\n');
    const named = [...pages.matchAll(/`?npm (run )?([a-z]+)/g)].flatMap(([, run, name = '']) =>
      run || ['start', 'test'].includes(name) ? [name] : [],
    );
    expect([...new Set(named)].filter((name) => !(name in scripts))).toEqual([]);
    expect(named.length).toBeGreaterThan(5);
  });

  it('shows existing pictures of a small size', () => {
    const pictures = [...page.matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(([, picture = '']) => path.join(root, picture));
    expect(pictures).not.toEqual([]);
    expect(pictures.filter((picture) => !existsSync(picture) || statSync(picture).size > 300_000)).toEqual([]);
  });
});
