import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, it } from 'vitest';
import { extensionResourcesQuery } from '#lib/client/extension-queries.ts';
import type { ResourceSample } from '#lib/contract/extension-reports.ts';
import { curveOf, measureInWords, ResourcePanel, revisionUses } from './ResourcePanel.tsx';

const MIB = 1_048_576;

function sample(second: number, revision: number, mib: number, cpu: number | null): ResourceSample {
  return { at: new Date(Date.UTC(2026, 10, 22, 12, 0, second)).toISOString(), revision, memory_bytes: mib * MIB, cpu_percent: cpu };
}

it('shows numbers with their unit', () => {
  expect([measureInWords(82.44 * MIB, 'memory'), measureInWords(512 * MIB, 'memory'), measureInWords(3.24, 'cpu')]).toEqual([
    '82.4 MiB',
    '512 MiB',
    '3.2%',
  ]);
  expect(measureInWords(null, 'cpu')).toBe('–');
});

it('sums the usage of each revision, newest first', () => {
  const uses = revisionUses([sample(0, 1, 50, null), sample(5, 1, 80, 10), sample(10, 1, 60, 20), sample(15, 2, 40, null)]);
  expect(uses).toEqual([
    expect.objectContaining({ revision: 2, peakMemory: 40 * MIB, peakCpu: null, meanCpu: null }),
    expect.objectContaining({ revision: 1, peakMemory: 80 * MIB, peakCpu: 20, meanCpu: 15 }),
  ]);
});

it('draws a curve with marks at new revisions and gaps without a process', () => {
  const samples = [sample(0, 1, 50, 1), sample(5, 1, 100, 1), sample(10, 2, 50, 1), sample(40, 2, 50, 1)];
  const curve = curveOf({ samples, unread_every_ms: 15_000 }, 'memory', 400, 102);
  expect(curve).toEqual({
    paths: ['M0 51L50 1L100 51', 'M400 51h-4'],
    marks: [{ x: 100, revision: 2 }],
    max: 100 * MIB,
  });
});

it('draws nothing without samples', () => {
  expect(curveOf({ samples: [], unread_every_ms: 60_000 }, 'cpu', 400, 100)).toEqual({ paths: [], marks: [], max: 1 });
});

it('names a new revision on the server as in the browser, so that the page hydrates', () => {
  const client = new QueryClient();
  client.setQueryData(extensionResourcesQuery('math').queryKey, {
    samples: [sample(0, 1, 50, 1), sample(5, 2, 50, 1)],
    every_ms: 5_000,
    unread_every_ms: 15_000,
    memory_limit_bytes: 512 * MIB,
    unavailable: null,
  });
  const panel = createElement(ResourcePanel, { id: 'math', serves: true });
  expect(renderToString(createElement(QueryClientProvider, { client }, panel))).toContain('<title>Revision 2 from here on</title>');
});
