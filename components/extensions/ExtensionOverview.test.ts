import { expect, it } from 'vitest';
import { areDifferent, instancesInWords } from './ExtensionOverview.tsx';

const serving = (...revisions: (number | null)[]) =>
  revisions.map((revision) => ({ state: revision === null ? ('failed' as const) : ('ready' as const), serving_revision: revision }));

it.each([
  ['all 3 serve revision 7', serving(7, 7, 7)],
  ['2 of 3 serve revision 7', serving(7, null, 7)],
  ['2 of 3 serve revision 6', serving(6, 7, 6)],
  ['1 of 2 serve revision 7', serving(6, 7)],
  ['none of 2 serves it', serving(null, null)],
])('reports that %s', (words, instances) => {
  expect(instancesInWords(instances)).toBe(words);
});

it('finds differences in state and revision', () => {
  expect(areDifferent(serving(7, 7))).toBe(false);
  expect(areDifferent(serving(7, 6))).toBe(true);
  expect(areDifferent([...serving(7), { state: 'degraded', serving_revision: 7 }])).toBe(true);
});
