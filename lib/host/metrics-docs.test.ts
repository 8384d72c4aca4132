import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { createRequestMetrics } from '#lib/api/middleware/request-metrics.ts';
import { createServerMetrics } from '#lib/api/node/http-server.ts';
import { createHostMetrics } from './host-metrics.ts';

const page = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8');
const dashboard = readFileSync(new URL('../../docs/grafana-dashboard.json', import.meta.url), 'utf8');
const dashboardSchema = z.object({
  templating: z.object({ list: z.array(z.object({ name: z.string(), query: z.string() })) }),
  panels: z.array(z.object({ targets: z.array(z.object({ expr: z.string() })) })),
});

/** Every name in `/metrics`. */
function measured(): string[] {
  const metrics = createHostMetrics({
    events: { subscribeOwn: () => () => undefined },
    stateOf: () => null,
    now: () => {
      throw new Error('nobody scrapes here');
    },
  });
  metrics.close();
  const server = createServerMetrics(
    () => 0,
    () => ({}),
  );
  createRequestMetrics(server, null);
  return [metrics.registry, server].flatMap((registry) => registry.getMetricsAsArray().map(({ name }) => name));
}

it('are exactly those described in docs/operating.md', () => {
  const section = page.split(/^## /m).find((part) => part.startsWith('Metrics\n')) ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  const written = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name));
  expect(new Set(written)).toEqual(new Set(measured()));
});

it('include all that the Grafana dashboard queries', () => {
  const expressions = dashboardSchema.parse(JSON.parse(dashboard)).panels.flatMap((panel) => panel.targets.map((target) => target.expr));
  const asked = expressions.flatMap((expr) =>
    [...expr.matchAll(/\b(?:switchboard|process|nodejs)_\w+/g)].map(([name]) => name.replace(/_(?:bucket|count)$/, '')),
  );
  expect(asked.length).toBeGreaterThan(10);
  expect(asked.filter((name) => !measured().includes(name))).toEqual([]);
});

it('are queried by the dashboard for one selectable job', () => {
  const { panels, templating } = dashboardSchema.parse(JSON.parse(dashboard));
  const anybodys = panels.flatMap(({ targets }) =>
    targets.flatMap(({ expr }) => expr.match(/\b(?:switchboard|process|nodejs)_\w+(?!\w|\{job="\$job")/g) ?? []),
  );
  expect(anybodys).toEqual([]);
  const [, asked] = /^label_values\((\w+), job\)$/.exec(templating.list.find(({ name }) => name === 'job')?.query ?? '') ?? [];
  expect(measured()).toContain(asked);
});
