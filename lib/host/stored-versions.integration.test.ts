import { rename } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { snapshotMembers } from '#lib/registry/snapshot.ts';
import { type LivingHost, must, oneTool, startHost } from '#lib/testing/living-host.ts';

const ADA = { name: 'Ada' };
let living: LivingHost | null = null;

afterEach(async () => {
  await living?.remove();
  living = null;
});

it('lists in each version what is served then, whatever changed and however many at once', async () => {
  const host = await startHost(Object.fromEntries(['a', 'b', 'c', 'd'].map((id) => [`${id}/extension.ts`, oneTool(`${id}_tool`, 'one')])), {
    watch: 'off',
  });
  living = host;
  const move = async (from: string, to: string): Promise<void> => {
    const folder = path.join(host.folder, 'extensions');
    await rename(path.join(folder, from), path.join(folder, to));
  };
  const steps: readonly [changed: string, change: () => Promise<unknown>][] = [
    ['a saved', () => host.save({ 'a/extension.ts': oneTool('a_tool', 'two') })],
    ['a renames its tool', () => host.save({ 'a/extension.ts': oneTool('another_tool', 'two') })],
    ['a broken', () => host.save({ 'a/extension.ts': 'export const TOOL = {' })],
    ['b and c saved', () => host.save({ 'b/extension.ts': oneTool('b_tool', 'two'), 'c/extension.ts': oneTool('c_tool', 'two') })],
    ['a repaired', () => host.save({ 'a/extension.ts': oneTool('a_tool', 'three') })],
    ['d removed, e added', () => host.save({ d: null, 'e/extension.ts': oneTool('e_tool', 'one') })],
    ['f added broken', () => host.save({ 'f/extension.ts': 'export const TOOL = 1;' })],
    ['b disabled', () => host.host.extensions.disable('b', ADA)],
    [
      'b moved, c saved',
      () => Promise.all([move('b/extension.ts', 'b/extension.js'), host.save({ 'c/extension.ts': oneTool('c_tool', 'three') })]),
    ],
    ['b enabled', () => host.host.extensions.enable('b', ADA)],
    ['c takes the tool of e', () => host.save({ 'c/extension.ts': oneTool('e_tool', 'four') })],
    ['e gives it', () => host.save({ 'e/extension.ts': oneTool('other_tool', 'one') })],
  ];
  let before = host.host.tools.list().version;
  for (const [changed, change] of steps) {
    await change();
    await host.reload();
    const { version, extensions } = host.host.extensions.list();
    const record = must(await host.host.snapshots.get(version));
    expect([changed, version > before, record.extensions]).toEqual([changed, true, membersOf(host)]);
    if (changed.startsWith('b moved')) expect(host.extension('b')?.path).toBe('b/extension.js');
    expect(extensions.map(({ id }) => id)).toEqual(record.extensions.map(({ id }) => id));
    before = version;
  }
  const newest = await host.restart();
  living = newest;
  await newest.reload();
  expect(newest.host.tools.list().version).toBe(before);
});

function membersOf({ host }: LivingHost): unknown {
  const { extensions } = host.extensions.list();
  const { tools } = host.tools.list();
  return snapshotMembers(
    extensions.map((extension) => ({
      extension,
      place: { folder: '', entryFile: null },
      tools: tools.filter((tool) => tool.extension === extension.id),
      features: null,
      running: null,
    })),
  );
}
