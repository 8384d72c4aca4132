import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type LivingHost, must, startHost } from '#lib/testing/living-host.ts';

const PATIENCE = { timeout: 15_000 };

const BOOK_ROOM = `import type { ToolContext } from 'switchboard';
import type { Flat } from '../_shared/flats.ts';
import { nights } from './_nights.ts';

export const INSTRUCTIONS = 'Ask for the dates first.';

/**
 * Books a flat.
 * @param guest - Who will stay
 * @param from - The first day
 */
export async function run(guest: string, flat: Flat, from: Date, to?: Date, breakfast = true, ctx?: ToolContext) {
  ctx?.log.info('booking');
  return { guest, flat, isDate: from instanceof Date, year: from.getFullYear(), nights: nights(from, to), breakfast, call: typeof ctx?.call_id };
}
`;

describe('a one-file tool', () => {
  let living: LivingHost;
  beforeAll(async () => {
    living = await startHost({
      '_shared/flats.ts': `export interface Flat { /** How many beds */ beds: 1 | 2 }`,
      'tools/_nights.ts': `export const nights = (from: Date, to?: Date) => to === undefined ? 1 : Math.round((to.getTime() - from.getTime()) / 86_400_000);`,
      'tools/book_flat.ts': BOOK_ROOM,
      'tools/add_all.js': `/** Adds.\n * @param {...number} values What to add */\nexports.run = (...values) => values.reduce((a, b) => a + b, 0);`,
    });
  });
  afterAll(() => living.remove());

  it('is named by its file, described by its comment and typed by its hints', () => {
    const tool = must(living.host.tools.get('book_flat'));
    expect(tool).toMatchObject({ name: 'book_flat', extension: 'tools/book_flat', description: 'Books a flat.', available: true });
    expect(tool.parameters).toEqual({
      type: 'object',
      properties: {
        guest: { type: 'string', description: 'Who will stay' },
        flat: {
          type: 'object',
          properties: { beds: { type: 'number', enum: [1, 2], description: 'How many beds' } },
          required: ['beds'],
          additionalProperties: false,
        },
        from: { type: 'string', format: 'date-time', description: 'The first day' },
        to: { type: 'string', format: 'date-time' },
        breakfast: { type: 'boolean', default: true },
      },
      required: ['guest', 'flat', 'from'],
      additionalProperties: false,
    });
    expect(living.extension('tools/book_flat')).toMatchObject({ kind: 'tool', state: 'ready', instructions: 'Ask for the dates first.' });
  });

  it('gets its arguments in order, dates as Date, and the context last', async () => {
    const call = await living.call('book_flat', {
      guest: 'Ada',
      flat: { beds: 2 },
      to: '2026-03-04T00:00:00Z',
      from: '2026-03-01T00:00:00Z',
    });
    expect(call.error).toBeNull();
    expect(call.result).toEqual({ guest: 'Ada', flat: { beds: 2 }, isDate: true, year: 2026, nights: 3, breakfast: true, call: 'string' });
    expect(call.logs.map(({ message }) => message)).toEqual(['booking']);
    expect((await living.call('add_all', { values: [1, 2, 3.5] })).result).toBe(6.5);
  });

  it('refuses invalid arguments before it runs', async () => {
    const call = await living.call('book_flat', { guest: 'Ada', flat: { beds: 3 }, from: 'tomorrow', form: 1 });
    expect(call).toMatchObject({ status: 'failed', error: { kind: 'invalid_parameters' } });
    expect(call.error?.issues?.map(({ path }) => path).toSorted()).toEqual(['/flat/beds', '/form', '/from']);
  });

  it('is reloaded when a file that only contains its types changes', async () => {
    await living.save({ '_shared/flats.ts': `export interface Flat { beds: 1 | 2 | 3; view?: 'sea' | 'yard' }` });
    await vi.waitFor(() => expect(JSON.stringify(must(living.host.tools.get('book_flat')).parameters)).toContain('sea'), PATIENCE);
    expect((await living.call('book_flat', { guest: 'Ada', flat: { beds: 3 }, from: '2026-03-01T00:00:00Z' })).status).toBe('succeeded');
  });

  it('keeps serving while a types file is missing, and names it', async () => {
    await living.save({ '_shared/flats.ts': null });
    const failure = await vi.waitFor(() => {
      const found = living.extension('tools/book_flat');
      expect(found?.state).toBe('degraded');
      return found?.failure;
    }, PATIENCE);
    expect(failure).toMatchObject({ code: 'import_unresolved', file: 'tools/book_flat.ts', line: 2 });
    expect((await living.call('book_flat', { guest: 'Ada', flat: { beds: 3 }, from: '2026-03-01T00:00:00Z' })).status).toBe('succeeded');
    await living.save({ '_shared/flats.ts': `export interface Flat { beds: number }` });
    await vi.waitFor(() => expect(living.extension('tools/book_flat')?.state).toBe('ready'), PATIENCE);
  });

  it('names the location in the types file when a type is not supported', async () => {
    await living.save({ '_shared/flats.ts': `export interface Flat {\n  beds: number;\n  guests: Map<string, string>;\n}` });
    const failure = await vi.waitFor(() => {
      const found = living.extension('tools/book_flat')?.failure;
      expect(found?.code).toBe('type_unsupported');
      return found;
    }, PATIENCE);
    expect(failure).toMatchObject({ stage: 'schema', file: '_shared/flats.ts', line: 3, column: 11 });
    expect(failure?.message).toContain('"flat"');
    expect(failure?.code_frame).toContain('> 3 |   guests: Map<string, string>;');
  });

  it('is available after a restart of the host, without a new load', async () => {
    await living.save({ '_shared/flats.ts': `export interface Flat { beds: number }` });
    await vi.waitFor(() => expect(living.extension('tools/book_flat')?.state).toBe('ready'), PATIENCE);
    living = await living.restart();
    expect(living.extension('tools/book_flat')).toMatchObject({ state: 'ready', process: { state: 'none' } });
    const call = await living.call('book_flat', { guest: 'Ada', flat: { beds: 3 }, from: '2026-03-01T00:00:00Z' });
    expect(call.result).toMatchObject({ isDate: true, flat: { beds: 3 } });
  });
});
