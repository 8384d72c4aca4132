import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Call, type CallFilter, callFilterSchema, type CallPage, callPageSchema, callSchema, queryTime } from '#lib/contract/call.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { API } from '#lib/contract/paths.ts';
import { claimFolder } from '#lib/store/sqlite/folder-claim.ts';
import { openStore } from '#lib/store/open-store.ts';
import type { OpenStore } from '#lib/store/store.ts';
import { CALL_COLUMNS, callRow, csvLine } from '#lib/contract/csv.ts';
import { cannotDo, EXIT, wrongUsage } from './command.ts';
import type { Command, CommandContext } from './command.ts';
import { jsonText } from './json-text.ts';
import { readNumber, readOptions, refuseWords } from './read-options.ts';
import { findServer } from './running-server.ts';

/** Source of the calls: a server or a data folder. */
interface History {
  page(filter: CallFilter): Promise<CallPage>;
  /** The complete call; null if it was deleted meanwhile. */
  full(id: string): Promise<Call | null>;
  close(): Promise<void>;
}

const UNITS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;

export const exportCommand: Command = {
  name: 'export',
  summary: 'Export the call history as NDJSON or CSV',
  help: `Prints complete calls, newest first: one JSON object per line, or CSV. It uses a running server, else the history in
DATA_DIR.

Usage: switchboard export [filters] [options]

  --tool NAME --extension ID --actor NAME --instance ID
  --status S        running, succeeded, failed, timed_out, cancelled; comma-separated
  --source S        web, api, mcp, channel, cli
  --q WORDS         search for word prefixes in tool, arguments, result, error or logs
  --since TIME      start; 2026-11-21T12:00:00Z (UTC without a zone), or 30m, 24h, 7d ago
  --until TIME      end
  --limit N         at most this many
  --csv             a table; cells that look like formulas start with '
  --url URL         the server; SWITCHBOARD_URL, or http://HOST:PORT (http://127.0.0.1:3000) by default
  --alone           use no server

Exit codes: 0 printed, 2 invalid command line, 3 no history.

  switchboard export --since 24h --status failed
  switchboard export --csv --tool get_weather > weather.csv
`,

  async run(args, context) {
    const text = { type: 'string' } as const;
    const { values, positionals } = readOptions(args, {
      tool: text,
      extension: text,
      actor: text,
      instance: text,
      status: text,
      source: text,
      q: text,
      since: text,
      until: text,
      limit: text,
      csv: { type: 'boolean' },
      url: text,
      alone: { type: 'boolean' },
    });
    refuseWords(positionals, 'Write filters as options, such as --tool get_weather; redirect to a file with > calls.ndjson.');
    const { csv, url, alone, limit, since, until, ...rest } = values;
    if (url !== undefined && alone) throw wrongUsage('--url uses a server, --alone does not; use one of them.');
    const most = limit === undefined ? Number.POSITIVE_INFINITY : readNumber('--limit', limit, 1, 9_999_999_999);
    const filter = readFilter({ ...rest, ...readTimes({ since, until }) });
    const history = (alone ? null : await serverHistory(context, url)) ?? (await openHistory(context));
    try {
      if (csv) await context.print(csvLine(CALL_COLUMNS));
      for await (const call of readCalls(history, filter, most, context.signal)) {
        await context.print(csv ? csvLine(callRow(call)) : `${jsonText(call)}\n`);
      }
      return context.signal.aborted ? EXIT.cancelled : EXIT.ok;
    } finally {
      await history.close();
    }
  },
};

async function* readCalls(history: History, filter: CallFilter, most: number, signal: AbortSignal): AsyncGenerator<Call> {
  let left = most;
  let cursor: string | null = null;
  do {
    const limit = Math.min(left, LIMITS.listMost);
    const page: CallPage = await history.page({ ...filter, limit, ...(cursor === null ? {} : { cursor }) });
    for (const call of page.calls) {
      if (signal.aborted) return;
      const fullCall = call.truncated === true || call.logs_truncated ? await history.full(call.id) : call;
      // Retention may delete calls meanwhile.
      if (fullCall === null) continue;
      yield fullCall;
      left -= 1;
    }
    cursor = page.next_cursor;
  } while (cursor !== null && left > 0);
}

function readFilter(given: Readonly<Record<string, string | undefined>>): CallFilter {
  const parsed = callFilterSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const option = `--${String(issue?.path[0])}`;
  const accepted = issue?.code === 'invalid_value' ? `accepted: ${issue.values.map(String).join(', ')}` : issue?.message;
  throw wrongUsage(`${option} is "${given[String(issue?.path[0])]}"; ${accepted}.`);
}

function readTimes(given: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      if (value === undefined) return [name, undefined];
      const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(value) ?? [];
      if (count !== undefined && (unit === 's' || unit === 'm' || unit === 'h' || unit === 'd'))
        return [name, new Date(Date.now() - Number(count) * UNITS[unit] * 1_000).toISOString()];
      const time = queryTime.safeParse(value);
      if (!time.success)
        throw wrongUsage(
          `--${name} is "${value}"; accepted: a time such as 2026-11-21T12:00:00Z (UTC without a zone), a day, or 30m, 24h, 7d.`,
        );
      return [name, new Date(time.data).toISOString()];
    }),
  );
}

async function serverHistory(context: CommandContext, url: string | undefined): Promise<History | null> {
  const server = await findServer(context, url);
  if (server === null) return null;
  return {
    page(filter) {
      const query = Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
      return server.get(`${API.calls}?${new URLSearchParams(query).toString()}`, callPageSchema);
    },
    full: (id) => server.find(API.call(id), callSchema),
    close: async () => undefined,
  };
}

async function openHistory(context: CommandContext): Promise<History> {
  const url = context.env['DATABASE_URL'];
  if (url) return historyOf(await openStore({ url, startMs: 0, isServer: false }), () => undefined);
  const folder = path.resolve(context.cwd, context.env['DATA_DIR'] || 'data');
  const file = path.join(folder, 'switchboard.db');
  if (!existsSync(file)) throw cannotDo(`No server answers, and ${folder} has no history. Use --url or set DATA_DIR.`);
  const claimed = claimFolder(folder);
  if (!claimed.ok)
    throw cannotDo(
      claimed.isTaken
        ? `A server uses ${folder} but does not answer at the default address. Use --url.`
        : `The history in ${folder} cannot be read: ${claimed.reason}`,
    );
  const { claim } = claimed;
  return historyOf(await openStore({ file }), () => claim.release());
}

function historyOf(opened: OpenStore, release: () => void): History {
  if (!opened.ok) {
    release();
    throw cannotDo(opened.reason);
  }
  const { store } = opened;
  return {
    page: async (filter) => (await store.calls.list(filter)) ?? { calls: [], next_cursor: null },
    full: (id) => store.calls.get(id),
    async close() {
      await store.close();
      release();
    },
  };
}
