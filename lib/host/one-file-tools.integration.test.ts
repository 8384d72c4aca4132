import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { LivingHost } from '#lib/testing/living-host.ts';
import { must, startHost } from '#lib/testing/living-host.ts';

const PATIENCE = { timeout: 15_000 };

const BOOK_ROOM = `import type { ToolContext } from 'switchboard';
import type { Room } from '../_shared/rooms.ts';
import { nights } from './_nights.ts';

export const INSTRUCTIONS = 'Ask for the dates first.';

/**
 * Books a room.
 * @param guest - Who will stay
 * @param from - The first day
 */
export async function run(guest: string, room: Room, from: Date, to?: Date, breakfast = true, ctx?: ToolContext) {
  ctx?.log.info('booking');
  return { guest, room, isDate: from instanceof Date, year: from.getFullYear(), nights: nights(from, to), breakfast, call: typeof ctx?.call_id };
}
`;

describe('a one-file tool', () => {
  let living: LivingHost;
  beforeAll(async () => {
    living = await startHost({
      '_shared/rooms.ts': `export interface Room { /** How many beds */ beds: 1 | 2 }`,
      'tools/_nights.ts': `export const nights = (from: Date, to?: Date) => to === undefined ? 1 : Math.round((to.getTime() - from.getTime()) / 86_400_000);`,
      'tools/book_room.ts': BOOK_ROOM,
      'tools/add_all.js': `/** Adds.\n * @param {...number} values What to add */\nexports.run = (...values) => values.reduce((a, b) => a + b, 0);`,
    });
  });
  afterAll(() => living.remove());

  it('is called by its file, described by its comment and offered by its type hints', () => {
    const tool = must(living.host.tools.get('book_room'));
    expect(tool).toMatchObject({ name: 'book_room', extension: 'tools/book_room', description: 'Books a room.', available: true });
    expect(tool.parameters).toEqual({
      type: 'object',
      properties: {
        guest: { type: 'string', description: 'Who will stay' },
        room: {
          type: 'object',
          properties: { beds: { type: 'number', enum: [1, 2], description: 'How many beds' } },
          required: ['beds'],
          additionalProperties: false,
        },
        from: { type: 'string', format: 'date-time', description: 'The first day' },
        to: { type: 'string', format: 'date-time' },
        breakfast: { type: 'boolean', default: true },
      },
      required: ['guest', 'room', 'from'],
      additionalProperties: false,
    });
    expect(living.extension('tools/book_room')).toMatchObject({ kind: 'tool', state: 'ready', instructions: 'Ask for the dates first.' });
  });

  it('gets its arguments in order, dates as Date, and the context last', async () => {
    const call = await living.call('book_room', {
      guest: 'Ada',
      room: { beds: 2 },
      to: '2026-03-04T00:00:00Z',
      from: '2026-03-01T00:00:00Z',
    });
    expect(call.error).toBeNull();
    expect(call.result).toEqual({ guest: 'Ada', room: { beds: 2 }, isDate: true, year: 2026, nights: 3, breakfast: true, call: 'string' });
    expect(call.logs.map(({ message }) => message)).toEqual(['booking']);
    expect((await living.call('add_all', { values: [1, 2, 3.5] })).result).toBe(6.5);
  });

  it('refuses what its hints do not allow, before it runs', async () => {
    const call = await living.call('book_room', { guest: 'Ada', room: { beds: 3 }, from: 'tomorrow', form: 1 });
    expect(call).toMatchObject({ status: 'failed', error: { kind: 'invalid_parameters' } });
    expect(call.error?.issues?.map(({ path }) => path).toSorted()).toEqual(['/form', '/from', '/room/beds']);
  });

  it('is offered anew when a file that only its types come from changes', async () => {
    await living.save({ '_shared/rooms.ts': `export interface Room { beds: 1 | 2 | 3; view?: 'sea' | 'yard' }` });
    await vi.waitFor(() => expect(JSON.stringify(must(living.host.tools.get('book_room')).parameters)).toContain('sea'), PATIENCE);
    expect((await living.call('book_room', { guest: 'Ada', room: { beds: 3 }, from: '2026-03-01T00:00:00Z' })).status).toBe('succeeded');
  });

  it('keeps serving while such a file is gone, and says which', async () => {
    await living.save({ '_shared/rooms.ts': null });
    const failure = await vi.waitFor(() => {
      const found = living.extension('tools/book_room');
      expect(found?.state).toBe('degraded');
      return found?.failure;
    }, PATIENCE);
    expect(failure).toMatchObject({ code: 'import_unresolved', file: 'tools/book_room.ts', line: 2 });
    expect((await living.call('book_room', { guest: 'Ada', room: { beds: 3 }, from: '2026-03-01T00:00:00Z' })).status).toBe('succeeded');
    await living.save({ '_shared/rooms.ts': `export interface Room { beds: number }` });
    await vi.waitFor(() => expect(living.extension('tools/book_room')?.state).toBe('ready'), PATIENCE);
  });

  it('names the place in the file of the types when one of them cannot be offered', async () => {
    await living.save({ '_shared/rooms.ts': `export interface Room {\n  beds: number;\n  guests: Map<string, string>;\n}` });
    const failure = await vi.waitFor(() => {
      const found = living.extension('tools/book_room')?.failure;
      expect(found?.code).toBe('type_unsupported');
      return found;
    }, PATIENCE);
    expect(failure).toMatchObject({ stage: 'schema', file: '_shared/rooms.ts', line: 3, column: 11 });
    expect(failure?.message).toContain('"room"');
    expect(failure?.code_frame).toContain('> 3 |   guests: Map<string, string>;');
  });

  it('is there again after a restart of the host, without being loaded anew', async () => {
    await living.save({ '_shared/rooms.ts': `export interface Room { beds: number }` });
    await vi.waitFor(() => expect(living.extension('tools/book_room')?.state).toBe('ready'), PATIENCE);
    living = await living.restart();
    expect(living.extension('tools/book_room')).toMatchObject({ state: 'ready', process: { state: 'none' } });
    const call = await living.call('book_room', { guest: 'Ada', room: { beds: 3 }, from: '2026-03-01T00:00:00Z' });
    expect(call.result).toMatchObject({ isDate: true, room: { beds: 3 } });
  });
});
