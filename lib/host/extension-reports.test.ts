import { expect, it } from 'vitest';
import type { ExtensionLogLine } from '#lib/contract/extension.ts';
import { extensionRecord } from '#lib/testing/api-records.ts';
import { createExtensionLogPages } from './extension-reports.ts';

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
