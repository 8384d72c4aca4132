import { expect, it } from 'vitest';
import type { Extension, ExtensionLogLine, KeptReason } from '#lib/contract/extension.ts';
import { extensionRecord } from '#lib/testing/api-records.ts';
import { createExtensionLogPages, idleWords } from './extension-reports.ts';

const EXTENSION = extensionRecord('a', 'ready', { revision: 2, serving_revision: 2 });

function line(message: string): ExtensionLogLine {
  return { time: '2026-11-22T12:00:00.000Z', level: 'info', stream: 'stdout', message, call_id: null };
}

/** Only its log is requested. */
function runningWith(log: { lines: ExtensionLogLine[]; dropped: number }) {
  const unused = () => {
    throw new Error('not asked for here');
  };
  return {
    description: { name: 'a', description: '', instructions: '', tools: [], hasStatus: false, channel: null, warnings: [] },
    process: unused,
    keepAlive: unused,
    logs: () => ({ ...log, truncated: log.dropped > 0 }),
    status: unused,
    callTool: unused,
    validate: unused,
    request: unused,
    callsInFlight: unused,
    channel: null,
    restart: unused,
    close: unused,
  };
}

it('returns all lines first, and then only new ones', () => {
  const pages = createExtensionLogPages();
  const log = { lines: [line('one'), line('two')], dropped: 0 };
  const running = runningWith(log);
  const first = pages.read(EXTENSION, running, null);
  expect(first).toMatchObject({ revision: 2, restarted: false, dropped: 0 });
  expect(first.lines.map(({ message }) => message)).toEqual(['one', 'two']);
  expect(pages.read(EXTENSION, running, first.cursor).lines).toEqual([]);
  log.lines.push(line('three'));
  const next = pages.read(EXTENSION, running, first.cursor);
  expect(next.lines.map(({ message }) => message)).toEqual(['three']);
});

it('reports how many lines were dropped before they were read', () => {
  const pages = createExtensionLogPages();
  const log = { lines: [line('one')], dropped: 0 };
  const running = runningWith(log);
  const { cursor } = pages.read(EXTENSION, running, null);
  Object.assign(log, { lines: [line('four'), line('five')], dropped: 3 });
  const next = pages.read(EXTENSION, running, cursor);
  expect(next.dropped).toBe(2);
  expect(next.lines.map(({ message }) => message)).toEqual(['four', 'five']);
});

it('starts again when another revision serves, or when the cursor is invalid', () => {
  const pages = createExtensionLogPages();
  const { cursor } = pages.read(EXTENSION, runningWith({ lines: [line('old')], dropped: 0 }), null);
  const other = runningWith({ lines: [line('new')], dropped: 0 });
  for (const after of [cursor, 'nonsense', '.', `${cursor}.5`]) {
    const page = pages.read(EXTENSION, other, after);
    expect(page).toMatchObject({ restarted: true, dropped: 0 });
    expect(page.lines.map(({ message }) => message)).toEqual(['new']);
  }
});

it('shows the output of an extension that failed to load', () => {
  const page = createExtensionLogPages().read(EXTENSION, null, null);
  expect(page).toMatchObject({ revision: null, lines: [], cursor: 'load-none.0' });
});

const OF_SOURCE = 'Export KEEP_ALIVE = false, which applies on save, or choose “End when idle” beside its process on its page.';
const OF_LIST =
  'Write "keepAlive": false into its entry in a/mcp.json, which applies on save, or choose “End when idle” beside its process on its page.';
const OF_LOG = 'Its log names what is active. End that in its source.';
const IDLE: readonly [
  why: string,
  of: { kind?: Extension['kind']; kept: KeptReason | null; described?: KeptReason | null; keep_alive?: boolean },
  value: string,
  change: string,
][] = [
  [
    'it ends',
    { kept: null },
    'ends after 600 s without calls',
    'Export KEEP_ALIVE = true, which applies on save, or choose “Keep running” beside its process on its page, or set this for all, and restart the server.',
  ],
  ['of its state', { kept: 'state' }, 'kept: calls may change its state in memory', OF_SOURCE],
  ['of KEEP_ALIVE', { kept: 'declared' }, 'kept: its source exports KEEP_ALIVE', OF_SOURCE],
  ['something is active', { kept: 'activity' }, 'kept: something runs in it, such as a timer', OF_LOG],
  [
    'something is active, whatever was chosen',
    { kept: 'activity', keep_alive: false },
    'kept: something runs in it, such as a timer',
    OF_LOG,
  ],
  [
    'a person chose to keep it running',
    { kept: 'chosen', described: 'state', keep_alive: true },
    'kept: a person chose to keep it running',
    'Choose “End when idle” or “Automatic” beside its process on its page.',
  ],
  [
    'a person chose to end it',
    { kept: null, described: 'state', keep_alive: false },
    'ends after 600 s without calls, as a person chose',
    'Choose “Keep running” or “Automatic” beside its process on its page.',
  ],
  [
    'it is a channel',
    { kind: 'channel', kept: 'channel' },
    'kept: it receives messages',
    'The process of a channel does not end. Set this for others, and restart the server.',
  ],
  ['it is an MCP server', { kind: 'mcp', kept: 'session' }, 'kept: it holds a session', OF_LIST],
  ['of keepAlive in mcp.json', { kind: 'mcp', kept: 'declared' }, 'kept: its mcp.json has "keepAlive": true', OF_LIST],
  [
    'an MCP server may end',
    { kind: 'mcp', kept: null },
    'ends after 600 s without calls',
    'Write "keepAlive": true into its entry in a/mcp.json, which applies on save, or choose “Keep running” beside its process on its page, or set this for all, and restart the server.',
  ],
  [
    'someone is subscribed to a resource',
    { kind: 'mcp', kept: 'session', described: null },
    'kept: someone is subscribed to one of its resources',
    'It can end after the last subscription.',
  ],
];

it.each(IDLE)(
  'shows what decides about an idle process, and how to change it, if %s',
  (_, { kind = 'tools', kept, described = kept, ...chosen }, value, change) => {
    const process = { state: 'running', pid: 1, restarts: 0, retry_at: null, kept } as const;
    const path = kind === 'mcp' ? 'a/mcp.json' : 'a/extension.ts';
    expect(idleWords({ kind, path, process, ...chosen }, described, '600 s')).toEqual({ value, change });
  },
);
