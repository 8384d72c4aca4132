import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PRESENCE_LASTS_MS } from '#lib/contract/limits.ts';
import { createFailurePresence, type FailurePresence } from './failure-presence.ts';

const person = (name: string) => ({
  id: name.toLowerCase(),
  name,
  initials: name.slice(0, 2).toUpperCase(),
  sessionId: `session of ${name}`,
});
const [ADA, BEN] = [person('Ada'), person('Ben')];
const PAGE = 'page-one';

let notified: string[] = [];
let presence: FailurePresence;

beforeEach(() => {
  vi.useFakeTimers();
  notified = [];
  presence = createFailurePresence({ notify: (id) => notified.push(id), mostPages: 100 });
});
afterEach(() => {
  presence.close();
  vi.useRealTimers();
});

const names = (group: string) =>
  presence.note(group, person('Watcher'), { page: 'watching', doing: 'looking' }).people.map(({ name }) => name);

it('returns the other people present and their activity, and notifies only of changes', () => {
  expect(presence.note('g', ADA, { page: PAGE, doing: 'looking' })).toEqual({ people: [] });
  expect(presence.note('g', BEN, { page: PAGE, doing: 'looking' })).toEqual({
    people: [{ id: 'ada', name: 'Ada', initials: 'AD', doing: 'looking' }],
  });
  expect(notified).toEqual(['g', 'g']);
  presence.note('g', ADA, { page: PAGE, doing: 'looking' });
  expect(notified).toHaveLength(2);
  presence.note('g', ADA, { page: PAGE, doing: 'writing' });
  expect(notified).toHaveLength(3);
  expect(presence.note('g', BEN, { page: PAGE, doing: 'looking' }).people).toMatchObject([{ name: 'Ada', doing: 'writing' }]);
});

it('removes a person whose page stopped reporting, and notifies the others', () => {
  presence.note('g', ADA, { page: PAGE, doing: 'looking' });
  vi.advanceTimersByTime(PRESENCE_LASTS_MS - 5_000);
  presence.note('g', BEN, { page: PAGE, doing: 'looking' });
  notified = [];
  vi.advanceTimersByTime(6_000);
  expect(notified).toEqual(['g']);
  expect(presence.note('g', BEN, { page: PAGE, doing: 'looking' }).people).toEqual([]);
});

it('shows a person with two pages once, until both are left', () => {
  presence.note('g', ADA, { page: PAGE, doing: 'writing' });
  presence.note('g', ADA, { page: 'page-two', doing: 'looking' });
  expect(presence.note('g', BEN, { page: PAGE, doing: 'looking' }).people).toMatchObject([{ name: 'Ada', doing: 'writing' }]);
  presence.note('g', ADA, { page: PAGE, doing: 'gone' });
  expect(names('g')).toEqual(['Ada', 'Ben']);
  presence.note('g', ADA, { page: 'page-two', doing: 'gone' });
  expect(names('g')).toEqual(['Ben']);
});

it('moves a page to the failure it shows now', () => {
  presence.note('g', ADA, { page: PAGE, doing: 'looking' });
  notified = [];
  presence.note('h', ADA, { page: PAGE, doing: 'looking' });
  expect(notified).toEqual(['g', 'h']);
  expect(names('g')).toEqual([]);
  presence.note('g', ADA, { page: PAGE, doing: 'gone' });
  expect(names('h')).toEqual(['Ada']);
});

it('removes the pages of a person when their session ends', () => {
  presence.note('g', ADA, { page: PAGE, doing: 'looking' });
  presence.note('g', BEN, { page: PAGE, doing: 'looking' });
  presence.endSession(ADA.sessionId);
  expect(names('g')).toEqual(['Ben']);
});

it('counts only the newest pages of a person, and is bounded in total', () => {
  for (let at = 0; at < 30; at += 1) presence.note(`g${at}`, ADA, { page: `page-${at}-of-many`, doing: 'looking' });
  expect([names('g0'), names('g19'), names('g20'), names('g29')]).toEqual([[], [], ['Ada'], ['Ada']]);
  for (let at = 0; at < 120; at += 1) presence.note('crowd', person(`P${at}`), { page: PAGE, doing: 'looking' });
  expect(names('g29')).toEqual([]);
  expect(names('crowd')).toHaveLength(50);
});
