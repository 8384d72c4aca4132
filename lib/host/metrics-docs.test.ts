import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createHostMetrics } from './host-metrics.ts';

const page = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8');

it('is described in docs/operating.md, every metric and no other', () => {
  const metrics = createHostMetrics({ subscribe: () => () => undefined }, () => null);
  const now = {
    snapshotVersion: 1,
    extensions: [],
    tools: [],
    channels: [],
    failures: { open: 0, acknowledged: 0, ignored: 0, resolved: 0 },
    calls: { inFlight: 0, waiting: 0 },
  };
  const measured = [...metrics.families(now).map((family) => family.name), 'switchboard_event_clients'];
  metrics.close();
  const section = page.split(/^## /m).find((part) => part.startsWith('Metrics\n')) ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  const written = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name));
  expect(new Set(written)).toEqual(new Set(measured));
});
