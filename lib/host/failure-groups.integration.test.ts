import { afterEach, describe, expect, it, vi } from 'vitest';
import { type FailureGroup, failureGroupDetailSchema, groupPageSchema } from '#lib/contract/failure-group.ts';
import type { LivingHost } from '#lib/testing/living-host.ts';
import { must, oneTool, refusal, startHost } from '#lib/testing/living-host.ts';

/** The team's work on failures, with files that really break and are fixed. */
let living: LivingHost | null = null;
const start = async (...args: Parameters<typeof startHost>): Promise<LivingHost> => (living = await startHost(...args));
const PATIENCE = { timeout: 15_000, interval: 25 };
const [ADA, BEN] = [{ name: 'Ada' }, { name: 'Ben' }];
const ALL = { limit: 50 };
const broken = (words: string): string => `throw new Error(${JSON.stringify(words)});\n`;

const groupsOf = async (host: LivingHost): Promise<FailureGroup[]> =>
  groupPageSchema.parse(must(await host.host.failures.list(ALL))).groups;
const only = async (host: LivingHost): Promise<FailureGroup> => {
  const [group, ...others] = await groupsOf(host);
  if (group === undefined || others.length > 0) throw new Error(`there are ${others.length + (group === undefined ? 0 : 1)} groups`);
  return group;
};
const detail = async (host: LivingHost, id: string) => failureGroupDetailSchema.parse(must(await host.host.failures.get(id)));
const until = (host: LivingHost, status: FailureGroup['status']): Promise<unknown> =>
  vi.waitFor(async () => expect((await only(host)).status).toBe(status), PATIENCE);

afterEach(async () => {
  await living?.remove();
  living = null;
});

describe('a failure group', () => {
  it('is resolved by a clean load, with the revision, and reopens as a regression', async () => {
    const host = await start({ 'a/extension.ts': oneTool('a_tool', 'one') });
    await host.save({ 'a/extension.ts': broken('boom') });
    await until(host, 'open');
    const group = await only(host);
    expect(group).toMatchObject({ extension: 'a', code: 'import_error', regression: false, count: 1, resolved_by: null });
    expect(group.title).toContain('boom');
    await vi.waitFor(() => expect(host.extension('a')?.failure?.group_id).toBe(group.id), PATIENCE);
    await host.save({ 'a/extension.ts': oneTool('a_tool', 'two') });
    await until(host, 'resolved');
    const version = host.host.extensions.list().version;
    expect((await only(host)).resolved_by).toEqual({ revision: 3, snapshot_version: version });
    await host.save({ 'a/extension.ts': `// moved\n${broken('boom')}` });
    await until(host, 'open');
    expect(await only(host)).toMatchObject({
      id: group.id,
      regression: true,
      count: 2,
      resolved_by: { revision: 3 },
      regressed_by: { revision: 4, snapshot_version: version + 1 },
    });
    expect((await detail(host, group.id)).activity.map((entry) => [entry.kind, entry.automatic, entry.revision, entry.fixed_in])).toEqual([
      ['opened', true, 2, null],
      ['resolved', true, 3, null],
      ['regressed', true, 4, 3],
    ]);
    expect((await detail(host, group.id)).occurrences.map((each) => [each.revision, each.count])).toEqual([
      [4, 1],
      [2, 1],
    ]);
  });

  it('resolves automatically and reopens as a regression when a file is broken and fixed 100 times', async () => {
    const host = await start({ 'a/extension.ts': oneTool('a_tool', 'one') });
    // The loads are the same on PostgreSQL.
    const rounds = host.host.config.database === null ? 100 : 10;
    for (let round = 1; round <= rounds; round += 1) {
      await host.save({ 'a/extension.ts': 'export const TOOL = {\n' });
      await vi.waitFor(
        async () => expect(await only(host)).toMatchObject({ status: 'open', count: round, regression: round > 1 }),
        PATIENCE,
      );
      await host.save({ 'a/extension.ts': oneTool('a_tool', 'one') });
      await until(host, 'resolved');
      expect((await only(host)).resolved_by?.revision).toBe(1);
    }
    const page = must(await host.host.failures.occurrences((await only(host)).id, { limit: 50 }));
    expect(page.failures).toMatchObject([{ revision: 2, count: rounds }]);
  });

  it('is resolved at the next start when it was fixed while the server was down, and when the extension is removed', async () => {
    const host = await start({ 'a/extension.ts': broken('boom'), 'b/extension.ts': broken('bang') });
    expect((await groupsOf(host)).map((group) => group.status)).toEqual(['open', 'open']);
    await host.host.close();
    await host.save({ 'a/extension.ts': oneTool('a_tool', 'one') });
    const next = await host.restart();
    living = next;
    expect((await groupsOf(next)).find((group) => group.extension === 'a')).toMatchObject({
      status: 'resolved',
      resolved_by: { revision: 2 },
    });
    await next.save({ b: null });
    await vi.waitFor(
      async () =>
        expect((await groupsOf(next)).find((group) => group.extension === 'b')).toMatchObject({
          status: 'resolved',
          resolved_by: { revision: null },
        }),
      PATIENCE,
    );
    expect(must(await next.host.failures.list(ALL)).counts).toEqual({ open: 0, acknowledged: 0, ignored: 0, resolved: 2 });
  });

  it('stays acknowledged while it keeps failing, with the activity of people', async () => {
    const host = await start({ 'a/extension.ts': broken('boom') });
    const { id } = await only(host);
    const events: string[] = [];
    host.host.events.subscribe((event) => events.push(`${event.type} ${event.data.group_id ?? ''}`), ['failure.changed']);
    await host.host.failures.change(id, { status: 'acknowledged', assignee: 'Ada' }, ADA);
    await host.host.failures.change(id, { assignee: 'Ben', reason: 'on it' }, BEN);
    expect(await only(host)).toMatchObject({ status: 'acknowledged', assignee: 'Ben', reason: 'on it' });
    await vi.waitFor(() => expect(events.slice(-2)).toEqual([`failure.changed ${id}`, `failure.changed ${id}`]), PATIENCE);
    await host.reload();
    expect(await only(host)).toMatchObject({ status: 'acknowledged', assignee: 'Ben', count: 2 });
    expect(
      (await detail(host, id)).activity.slice(1).map((entry) => [entry.actor, entry.kind, entry.from, entry.to, entry.reason]),
    ).toEqual([
      ['Ada', 'status_changed', 'open', 'acknowledged', null],
      ['Ada', 'assigned', null, 'Ada', null],
      ['Ben', 'status_changed', 'acknowledged', 'acknowledged', 'on it'],
      ['Ben', 'assigned', 'Ada', 'Ben', null],
    ]);
    must(await host.host.failures.comment(id, 'See **units**.', ADA));
    expect((await detail(host, id)).comments).toMatchObject([{ actor: 'Ada', text: 'See **units**.' }]);
    const next = await host.restart();
    living = next;
    expect(await only(next)).toMatchObject({ assignee: 'Ben', comment_count: 1 });
  });

  it('that is ignored until it changes reopens when a different source fails', async () => {
    const host = await start({ 'a/extension.ts': broken('boom') });
    const { id } = await only(host);
    must(await host.host.failures.change(id, { status: 'ignored', ignore_until: 'changed', reason: 'later' }, ADA));
    await host.reload();
    expect(await only(host)).toMatchObject({ status: 'ignored', reason: 'later', count: 2 });
    await host.save({ 'a/extension.ts': `// other\n${broken('boom')}` });
    await until(host, 'open');
    expect(await only(host)).toMatchObject({ regression: false, ignore_until: null, reason: null });
  });

  it('that is ignored until a time reopens at that time, and refuses a time in the past', async () => {
    const host = await start({ 'a/extension.ts': broken('boom') });
    const { id } = await only(host);
    const past = await host.host.failures.change(id, { status: 'ignored', ignore_until: '2020-01-01T00:00:00Z' }, ADA);
    expect(refusal(past).code).toBe('body_fields_invalid');
    expect(refusal(await host.host.failures.change(id, { ignore_until: 'changed' }, ADA)).code).toBe('body_fields_invalid');
    const soon = new Date(Date.now() + 400).toISOString();
    must(await host.host.failures.change(id, { status: 'ignored', ignore_until: soon }, ADA));
    expect(await only(host)).toMatchObject({ status: 'ignored', ignore_until: soon });
    await until(host, 'open');
    expect((await detail(host, id)).activity.at(-1)).toMatchObject({ kind: 'ignore_ended', automatic: true });
  });

  it('that is ignored permanently stays ignored, fixed or failing', async () => {
    const host = await start({ 'a/extension.ts': broken('boom') });
    must(await host.host.failures.change((await only(host)).id, { status: 'ignored', reason: 'an experiment' }, ADA));
    await host.save({ 'a/extension.ts': oneTool('a_tool', 'one') });
    await vi.waitFor(() => expect(host.extension('a')?.state).toBe('ready'), PATIENCE);
    await host.save({ 'a/extension.ts': broken('boom') });
    await vi.waitFor(async () => expect((await only(host)).count).toBe(2), PATIENCE);
    expect(await only(host)).toMatchObject({ status: 'ignored', ignore_until: null, reason: 'an experiment' });
  });
});

describe('the changes since it worked', () => {
  it('show the helper that broke three extensions as one cause, with the faulty lines first', async () => {
    const uses = (name: string): string => `import '../lib/units.ts';\n${oneTool(name, 'one')}`;
    const padding = Array.from({ length: 30 }, (_, at) => `export const value${at} = ${at};`).join('\n');
    const host = await start({
      'lib/_keep': '',
      'lib/units.ts': `export const first = 1;\n${padding}\nexport const last = 1;\n`,
      'a/extension.ts': uses('a_tool'),
      'b/extension.ts': uses('b_tool'),
      'c/extension.ts': uses('c_tool'),
    });
    await host.save({
      'lib/units.ts': `export const first = 2;\n${padding}\nexport const last = load();\nfunction load(): number { throw new Error('no units'); }\n`,
    });
    await vi.waitFor(
      async () => expect((await groupsOf(host)).filter((group) => group.title.includes('no units'))).toHaveLength(3),
      PATIENCE,
    );
    const [group] = (await groupsOf(host)).filter((each) => each.extension === 'a');
    if (group === undefined) throw new Error('a has no group');
    expect(group.related.map((each) => each.extension)).toEqual(['b', 'c']);
    expect(group.latest).toMatchObject({ file: 'lib/units.ts' });
    expect(await detail(host, group.id)).toMatchObject({
      environment: { runtime: 'node', version: process.versions.node },
      fingerprints: [{ basis: { extension: 'a', code: 'import_error', frame: 'lib/units.ts load' }, merged_from: null }],
    });
    expect((await detail(host, group.id)).environment?.variables).toContain('PATH');
    const changes = must(await host.host.failures.changes(group.id));
    expect(changes).toMatchObject({ failing_revision: 2, good_revision: 1, comparable: true });
    const [file] = changes.files;
    expect(file).toMatchObject({ path: 'lib/units.ts', change: 'changed', guilty: true, added: 3, removed: 2 });
    expect(file?.hunks?.map((hunk) => hunk.guilty)).toEqual([true, false]);
    expect(file?.hunks?.[0]?.lines.some((line) => line.kind === 'added' && line.text.includes('no units'))).toBe(true);
    expect(must(await host.host.failures.source(group.id))).toMatchObject({ file: 'lib/units.ts', line: group.latest.line });
  });

  it('list packages whose version changed, even when the sources are the same', async () => {
    const packaged = (version: string): Record<string, string> => ({
      'a/node_modules/colours/package.json': JSON.stringify({ name: 'colours', version, main: 'main.js', type: 'commonjs' }),
      'a/node_modules/colours/main.js': `exports.colour = '${version}';`,
    });
    const uses = (more: string): string =>
      `import { colour } from 'colours';\nif (colour === '2.0.0') throw new Error('boom');\n${more}export const TOOL = { label: 'T', name: 'a_tool', description: 'D.', parameters: {}, execute: () => colour };\n`;
    const host = await start({ ...packaged('1.0.0'), 'a/extension.ts': uses('') });
    await host.save({ ...packaged('2.0.0'), 'a/extension.ts': uses('// touched\n') });
    const group = await vi.waitFor(async () => await only(host), PATIENCE);
    const changes = must(await host.host.failures.changes(group.id));
    expect(changes).toMatchObject({ good_revision: 1, failing_revision: 2, comparable: true });
    expect(changes.packages).toEqual([{ name: 'colours', before: '1.0.0', after: '2.0.0' }]);
    expect((await detail(host, group.id)).environment?.packages).toEqual({ colours: '2.0.0' });

    await host.save({ 'a/extension.ts': uses('') });
    await vi.waitFor(() => expect(host.extension('a')?.failure ?? null).toBeNull(), PATIENCE);
    must(await host.host.extensions.disable('a', ADA));
    must(await host.host.extensions.enable('a', ADA));
    const again = must(await host.host.failures.changes(group.id));
    expect(again).toMatchObject({ good_revision: 1, failing_revision: 1, comparable: false });
    expect(again.note).toContain('packages, as it seems');
    expect(again.packages).toEqual([{ name: 'colours', before: '1.0.0', after: '2.0.0' }]);
  });

  it('explain why there is nothing to compare', async () => {
    const host = await start({ 'a/extension.ts': broken('boom'), 'x y/extension.ts': '' });
    const noteOf = async (extension: string): Promise<string | null> => {
      const group = (await groupsOf(host)).find((each) => each.extension === extension);
      return must(await host.host.failures.changes(group?.id ?? '')).note;
    };
    expect(await noteOf('a')).toBe('No earlier revision loaded.');
    expect(await noteOf('x y')).toContain('before any content was read');
  });
});

describe('merging and splitting', () => {
  it('merges two groups, whose ids both stay valid, and splits them again', async () => {
    const host = await start({ 'a/extension.ts': broken('boom') });
    const first = (await only(host)).id;
    await host.save({ 'a/extension.ts': broken('bang') });
    await vi.waitFor(async () => expect(await groupsOf(host)).toHaveLength(2), PATIENCE);
    const second = (await groupsOf(host)).find((group) => group.id !== first)?.id ?? '';
    must(await host.host.failures.comment(second, 'The same as before.', ADA));
    expect(must(await host.host.failures.merge(second, first, ADA))).toMatchObject({ id: first, count: 2, comment_count: 1 });
    expect(await only(host)).toMatchObject({ id: first, title: 'bang' });
    expect((await detail(host, second)).id).toBe(first);
    await host.reload();
    expect(await only(host)).toMatchObject({ id: first, count: 3 });
    expect(refusal(await host.host.failures.merge(second, first, ADA)).code).toBe('state_conflict');
    const records = must(await host.host.failures.occurrences(first, { limit: 10 })).failures;
    const [boom, bang] = ['boom', 'bang'].map((words) => records.find((record) => record.message.includes(words))?.id ?? '');
    expect(refusal(await host.host.failures.split(first, boom ?? '', ADA)).detail).toContain('merged into it');
    expect(must(await host.host.failures.split(first, bang ?? '', BEN))).toMatchObject({ id: second, count: 2 });
    expect(await detail(host, first)).toMatchObject({
      count: 1,
      activity: [{}, { kind: 'merged', actor: 'Ada' }, { kind: 'split', actor: 'Ben' }],
    });
    await host.reload();
    expect((await detail(host, second)).count).toBe(3);
  });

  it('distinguishes faults by their exact message after a split', async () => {
    const host = await start({ 'a/extension.ts': broken('waited 10 ms') });
    await host.save({ 'a/extension.ts': broken('waited 9000 ms') });
    await vi.waitFor(async () => expect((await only(host)).count).toBe(2), PATIENCE);
    const { id } = await only(host);
    expect(refusal(await host.host.failures.split(id, 'nothing', ADA)).code).toBe('failure_not_found');
    const [newest] = must(await host.host.failures.occurrences(id, { limit: 1 })).failures;
    const split = must(await host.host.failures.split(id, newest?.id ?? '', ADA));
    expect(split).toMatchObject({ title: expect.stringContaining('9000'), count: 1, fingerprints: [{ exact: true }] });
    await host.reload();
    expect((await detail(host, split.id)).count).toBe(2);
    expect((await detail(host, id)).count).toBe(1);
    expect(
      refusal(await host.host.failures.split(id, must(await host.host.failures.occurrences(id, { limit: 1 })).failures[0]?.id ?? '', ADA))
        .detail,
    ).toContain('only occurrence');
  });
});

describe('the list', () => {
  it('is filtered and paged', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const host = await start(Object.fromEntries(names.map((name) => [`${name}/extension.ts`, broken(`boom in ${name} 今天天气很好`)])));
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = must(await host.host.failures.list({ limit: 2, ...(cursor === undefined ? {} : { cursor }) }));
      seen.push(...page.groups.map((group) => group.extension));
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen.toSorted()).toEqual(names);
    const group = (await groupsOf(host)).find((each) => each.extension === 'c');
    must(await host.host.failures.change(group?.id ?? '', { status: 'acknowledged', assignee: 'Ada' }, ADA));
    const extensionsOf = async (filter: object): Promise<string[]> =>
      must(await host.host.failures.list({ ...ALL, ...filter })).groups.map((each) => each.extension);
    expect(await extensionsOf({ status: 'acknowledged' })).toEqual(['c']);
    expect(await extensionsOf({ assignee: 'Ada' })).toEqual(['c']);
    expect(await extensionsOf({ assignee: '' })).toHaveLength(4);
    expect(await extensionsOf({ extension: 'd' })).toEqual(['d']);
    expect(await extensionsOf({ q: 'BOOM in_e' })).toEqual([]);
    expect(await extensionsOf({ q: 'boom import_error' })).toHaveLength(5);
    expect(await extensionsOf({ q: '天气' })).toHaveLength(5);
    expect(await extensionsOf({ regression: true })).toEqual([]);
    expect(refusal(await host.host.failures.list({ ...ALL, cursor: 'foreign' })).code).toBe('query_invalid');
    expect(refusal(await host.host.failures.get('nothing')).code).toBe('failure_not_found');
  });
});
