import { describe, expect, it } from 'vitest';
import type { Store } from './store.ts';
import type { ToolsetRow } from './toolset-repository.ts';

const ROW: ToolsetRow = {
  name: 'support',
  title: 'Support',
  instructions: 'Be kind.',
  tools: [{ tool: 'get_weather', name: 'weather', hidden_arguments: ['days'], fixed_arguments: { city: 'Oslo', deep: [1, null] } }],
  members: ['ada'],
  updatedAt: '2026-11-26T10:00:00.000Z',
  updatedBy: 'Ada',
};

/** The store contract for toolsets. */
export function describeToolsetContract(store: () => Store, restart: () => Promise<void>): void {
  describe('toolsets', () => {
    it('survive a restart, by name, and are replaced', async () => {
      expect(await store().toolsets.put(ROW, 10)).toBe('kept');
      expect(await store().toolsets.put({ ...ROW, name: 'a', tools: [], members: null, updatedBy: null }, 10)).toBe('kept');
      await restart();
      expect(await store().toolsets.list()).toEqual([{ ...ROW, name: 'a', tools: [], members: null, updatedBy: null }, ROW]);
      expect(await store().toolsets.put({ ...ROW, title: 'Other' }, 2)).toBe('kept');
      expect((await store().toolsets.list()).map(({ title }) => title)).toEqual(['Support', 'Other']);
    });

    it('are refused above the limit, and removed once', async () => {
      await store().toolsets.put(ROW, 1);
      expect(await store().toolsets.put({ ...ROW, name: 'b' }, 1)).toBe('full');
      expect(await store().toolsets.remove('support')).toBe(true);
      expect(await store().toolsets.remove('support')).toBe(false);
      expect(await store().toolsets.list()).toEqual([]);
    });
  });
}
