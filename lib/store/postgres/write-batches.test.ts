import { expect, it } from 'vitest';
import { createWriteBatches } from './write-batches.ts';

const MEGABYTE = 1_048_576;

function createRecordingLane() {
  const groups: (readonly string[])[] = [];
  const batches = createWriteBatches<string, string>(
    1,
    (item) => item.length,
    (items) => {
      groups.push(items);
      if (items.includes('bad')) return Promise.reject(new Error('refused'));
      return Promise.resolve(items.map((item) => `stored ${item}`));
    },
  );
  return { batches, groups };
}

it('writes the items of one turn together, and answers each', async () => {
  const { batches, groups } = createRecordingLane();
  expect(await Promise.all(['a', 'b'].map(batches.add))).toEqual(['stored a', 'stored b']);
  expect(groups).toEqual([['a', 'b']]);
});

it('ends a group with the item that makes it large', async () => {
  const { batches, groups } = createRecordingLane();
  const large = 'x'.repeat(MEGABYTE);
  await Promise.all(['a', large, 'b', large, large].map(batches.add));
  expect(groups).toEqual([['a', large], ['b', large], [large]]);
  await batches.settled();
});

it('refuses only the faulty item of a group', async () => {
  const { batches } = createRecordingLane();
  const results = await Promise.allSettled(['a', 'bad', 'b'].map(batches.add));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});
