import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import type { DatabaseSettings } from '#lib/host/config.ts';
import { oneTool, startHost } from '#lib/testing/living-host.ts';
import type { LivingHost } from '#lib/testing/living-host.ts';
import { startPostgres } from '#lib/testing/postgres.ts';
import type { TestPostgres } from '#lib/testing/postgres.ts';

const PATIENCE = { timeout: 20_000, interval: 20 };
let postgres: TestPostgres;
let database: DatabaseSettings;
let running: LivingHost[] = [];

beforeAll(async () => {
  postgres = await startPostgres();
}, 120_000);

afterEach(async () => {
  await Promise.all(running.map((living) => living.remove()));
  running = [];
});

afterAll(() => postgres.close());

async function newDatabase(): Promise<void> {
  database = { url: await postgres.createDatabase(), connections: 5, statementMs: 5_000, startMs: 0 };
}

async function join(files: Readonly<Record<string, string>> = {}): Promise<LivingHost> {
  const living = await startHost(files, { database });
  running.push(living);
  return living;
}

const textOf = (living: LivingHost, file: string): string | null => {
  const at = path.join(living.folder, 'extensions', file);
  return existsSync(at) ? readFileSync(at, 'utf8') : null;
};

/** Until it serves a tool with this answer. */
async function serves(living: LivingHost, tool: string, answer: string): Promise<void> {
  await vi.waitFor(async () => expect((await living.call(tool)).result).toMatchObject({ answer }), PATIENCE);
}

it('serves on each server what was saved on one, with the same revision, and withdraws what was removed', { timeout: 60_000 }, async () => {
  await newDatabase();
  const first = await join({ 'a/extension.ts': oneTool('first_tool', 'one'), 'a/helper.txt': 'plain', '.env': 'SECRET=local' });
  const second = await join();
  await serves(second, 'first_tool', 'one');
  expect(textOf(second, 'a/helper.txt')).toBe('plain');
  expect(textOf(second, '.env')).toBeNull();
  await second.save({ 'a/extension.ts': oneTool('first_tool', 'two') });
  await serves(first, 'first_tool', 'two');
  await serves(second, 'first_tool', 'two');
  expect([first, second].map((living) => living.extension('a')?.serving_revision)).toEqual([2, 2]);
  await first.save({ 'a/extension.ts': null, 'a/helper.txt': null });
  await vi.waitFor(() => expect(second.extension('a')).toBeUndefined(), PATIENCE);
});

it('keeps both of two saves on one base, and everybody serves the first', { timeout: 60_000 }, async () => {
  await newDatabase();
  const first = await join({ 'a/extension.ts': oneTool('first_tool', 'base') });
  const second = await join();
  await serves(second, 'first_tool', 'base');
  await Promise.all([
    first.save({ 'a/extension.ts': oneTool('first_tool', 'from the first') }),
    second.save({ 'a/extension.ts': oneTool('first_tool', 'from the second') }),
  ]);
  await vi.waitFor(() => {
    expect(textOf(first, 'a/extension.ts')).toBe(textOf(second, 'a/extension.ts'));
    expect(textOf(first, 'a/extension.ts')).not.toContain('base');
  }, PATIENCE);
});

it('gives an empty folder its files again at a start, and takes saves made while the server was stopped', { timeout: 60_000 }, async () => {
  await newDatabase();
  const first = await join({ 'a/extension.ts': oneTool('first_tool', 'one'), 'b/extension.ts': oneTool('second_tool', 'one') });
  const second = await join();
  await serves(second, 'second_tool', 'one');
  await second.host.close();
  await rm(path.join(second.folder, 'extensions', 'a'), { recursive: true });
  await second.save({ 'b/extension.ts': oneTool('second_tool', 'two') });
  running[1] = await second.restart({ database });
  await serves(running[1], 'first_tool', 'one');
  await serves(first, 'second_tool', 'two');
});
