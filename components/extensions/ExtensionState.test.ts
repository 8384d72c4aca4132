import { describe, expect, it } from 'vitest';
import { permissionInWords, valueInWords, whereInWords } from './ExtensionSettings.tsx';
import { processInWords } from './ExtensionOverview.tsx';
import { triggerInWords } from './RevisionList.tsx';
import { countStates, filterExtensions, kindAndRuntimeInWords, progressInWords, sortExtensions, stateInWords } from './ExtensionState.tsx';
import { extensionRecord, failureRecord } from '#lib/testing/api-records.ts';

const now = Date.parse('2026-11-21T12:00:00Z');

const failure = failureRecord({
  revision: 4,
  file: 'weather/extension.ts',
  line: 1,
  column: 1,
  snapshot_version: 3,
  count: 2,
});

const weather = extensionRecord('weather', 'ready', {
  revision: 3,
  serving_revision: 3,
  process: { state: 'running', pid: 7, restarts: 0, retry_at: null, kept: null },
});

describe('stateInWords', () => {
  it('names the serving revision', () => {
    expect(stateInWords(weather, now)).toBe('serving 3');
  });

  it('names both revisions while the last good one keeps serving', () => {
    expect(stateInWords({ ...weather, state: 'degraded', revision: 4, failure }, now)).toBe('serving 3 · 4 failed 2 min ago');
  });

  it('says "not serving" if the first revision failed', () => {
    expect(stateInWords({ ...weather, state: 'failed', serving_revision: null, failure }, now)).toBe(
      'revision 4 failed 2 min ago · not serving',
    );
  });

  it('describes a crash as stopped, not as a failed revision', () => {
    expect(stateInWords({ ...weather, state: 'failed', serving_revision: null, failure: { ...failure, stage: 'run' } }, now)).toBe(
      'stopped 2 min ago · not serving',
    );
  });

  it('says that a revision is pinned and that a newer one exists', () => {
    expect(stateInWords({ ...weather, pinned_revision: 3, revision: 5 }, now)).toBe('serving 3, pinned · 5 is newer');
  });

  it('says that the files differ from the serving revision after a rollback', () => {
    expect(stateInWords({ ...weather, revision: 5 }, now)).toBe('serving 3 · 5 is newer');
    expect(stateInWords({ ...weather, revision: 1 }, now)).toBe('serving 3 · the files hold 1');
  });

  it('says why no process runs', () => {
    expect(stateInWords({ ...weather, state: 'disabled' }, now)).toBe('disabled');
    expect(stateInWords({ ...weather, state: 'disabled', disabled_by: 'file' }, now)).toBe('disabled by its file');
    expect(stateInWords({ ...weather, state: 'excluded' }, now)).toBe('excluded by the settings');
    expect(stateInWords({ ...weather, state: 'loading', serving_revision: null }, now)).toBe('loading');
  });
});

it('describes the process state, and when a stopped one restarts', () => {
  expect(
    processInWords(
      { ...weather, process: { state: 'backoff', pid: null, restarts: 2, retry_at: '2026-11-21T12:00:08Z', kept: null } },
      now,
    ),
  ).toBe('Stopped; restarting automatically in 8 s, restarted 2 times');
  expect(processInWords(weather, now)).toBe('Running (PID 7)');
  expect(processInWords({ ...weather, process: { ...weather.process, kept: 'state' } }, now)).toBe(
    'Running (PID 7), kept: has state in memory',
  );
  const declared = { ...weather, process: { ...weather.process, kept: 'declared' } } as const;
  expect(processInWords(declared, now)).toBe('Running (PID 7), kept alive by KEEP_ALIVE');
  expect(processInWords({ ...declared, kind: 'mcp' }, now)).toBe('Running (PID 7), kept alive by keepAlive in its mcp.json');
  const idle = { state: 'none', pid: null, restarts: 0, retry_at: null, kept: null } as const;
  expect(processInWords({ kind: 'tools', process: idle, serving_revision: 1 }, now)).toBe('Idle. The next call starts it.');
  expect(processInWords({ kind: 'tools', process: { ...idle, restarts: 1 }, serving_revision: 1 }, now)).toBe(
    'Idle, restarted once. The next call starts it.',
  );
  expect(processInWords({ kind: 'tools', process: idle, serving_revision: null }, now)).toBe('None');
});

it('describes kind, runtime and permissions', () => {
  expect(kindAndRuntimeInWords(weather)).toBe('Tools, Node');
  expect(kindAndRuntimeInWords({ ...weather, kind: 'mcp', runtime: 'mcp' })).toBe('MCP server');
  expect(permissionInWords('run')).toBe('start programs');
  expect(permissionInWords('teleport')).toBe('teleport');
});

const setting = { name: 'memory_limit', value: '512 MiB', variable: 'EXTENSION_MEMORY_MB', is_set: false, change: '' } as const;

it('names the source of a setting', () => {
  expect(whereInWords(setting)).toBe('Default: EXTENSION_MEMORY_MB is not set.');
  expect(whereInWords({ ...setting, is_set: true })).toBe('Set by EXTENSION_MEMORY_MB.');
  expect(whereInWords({ ...setting, name: 'pinned', variable: null })).toBe('');
});

it('shows bytes as MiB', () => {
  expect([valueInWords('10485760 bytes'), valueInWords('60 s')]).toEqual(['10 MiB', '60 s']);
});

it.each([
  ['edit', 'Ada', 'by an edit of Ada'],
  ['edit', null, 'by an edit here'],
  ['reload', 'Ada', 'by a reload of Ada'],
  ['watch', null, 'by a saved file'],
  ['start', null, 'at server start'],
])('names the trigger of a revision: %s of %s', (trigger, actor, words) => {
  expect(triggerInWords({ trigger, actor })).toBe(words);
});

it('shows how many extensions are loaded at startup', () => {
  expect(progressInWords({ loaded: 120, total: 300 })).toBe('Loading 120 of 300…');
});

const all = [
  extensionRecord('b', 'ready', { tools: ['get_weather'] }),
  extensionRecord('a', 'ready', { description: 'Adds numbers' }),
  extensionRecord('z', 'failed'),
  extensionRecord('c', 'excluded', { kind: 'mcp' }),
];

it('lists extensions that need attention first', () => {
  expect(sortExtensions(all).map(({ id }) => id)).toEqual(['z', 'a', 'b', 'c']);
});

it('sorts by name in natural order within a state', () => {
  const named = ['pack_10', 'Zebra', 'pack_2', 'apple'].map((id) => extensionRecord(id, 'ready'));
  expect(sortExtensions(named).map(({ id }) => id)).toEqual(['apple', 'pack_2', 'pack_10', 'Zebra']);
});

it('matches every word case-insensitively in names, descriptions and tools', () => {
  expect(filterExtensions(all, { q: 'WEATHER get', state: null, kind: null }).map(({ id }) => id)).toEqual(['b']);
  expect(filterExtensions(all, { q: 'adds', state: null, kind: null }).map(({ id }) => id)).toEqual(['a']);
  expect(filterExtensions(all, { q: 'adds weather', state: null, kind: null })).toEqual([]);
});

it('filters by state and kind', () => {
  expect(filterExtensions(all, { q: '', state: 'failed', kind: null }).map(({ id }) => id)).toEqual(['z']);
  expect(filterExtensions(all, { q: '', state: null, kind: 'mcp' }).map(({ id }) => id)).toEqual(['c']);
});

it('counts only states that occur', () => {
  expect(countStates(all)).toEqual([
    { state: 'failed', count: 1 },
    { state: 'ready', count: 2 },
    { state: 'excluded', count: 1 },
  ]);
});
