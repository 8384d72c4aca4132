import { existsSync } from 'node:fs';
import path from 'node:path';
import { callFilterSchema, callPageSchema, callSchema } from '#lib/contract/call.ts';
import type { Call, CallFilter, CallPage } from '#lib/contract/call.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { API } from '#lib/contract/paths.ts';
import { queryTime } from '#lib/contract/query-time.ts';
import { claimFolder } from '#lib/store/folder-claim.ts';
import { openStore } from '#lib/store/open-store.ts';
import { cannotDo, EXIT, wrongUsage } from './command.ts';
import type { Command, CommandContext } from './command.ts';
import { CALL_COLUMNS, callRow } from '#lib/contract/calls-csv.ts';
import { csvLine } from '#lib/contract/csv.ts';
import { jsonText } from './json-text.ts';
import { readNumber, readOptions, refuseWords } from './read-options.ts';
import { findServer } from './running-server.ts';

/** Where the calls are read from: a server, or the data folder that one left. */
interface History {
  page(filter: CallFilter): Promise<CallPage>;
  /** The call as a whole; null when it is gone by now. */
  whole(id: string): Promise<Call | null>;
  close(): Promise<void>;
}

const UNITS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;

export const exportCommand: Command = {
  name: 'export',
  summary: 'Print the history of calls as NDJSON or CSV',
  help: `Prints calls, newest first and whole: one JSON object a line, or CSV. A server that answers is asked; where none does, the
history in DATA_DIR is read.

Usage: switchboard export [filters] [options]

  --tool NAME --extension ID --actor NAME
  --status S        running, succeeded, failed, timed_out, cancelled; several with commas between
  --source S        web, api, mcp, channel, cli
  --q WORDS         words that begin a word in tool, arguments, result, error or logs
  --since TIME      not older than this; 2026-11-21T12:00:00Z, UTC where it names no zone, or 30m, 24h, 7d for a time ago
  --until TIME      older than this
  --limit N         at most this many
  --csv             a table instead of NDJSON; texts that a spreadsheet would run as a formula begin with '
  --url URL         the server; SWITCHBOARD_URL, or http://HOST:PORT (http://127.0.0.1:3000) when left out
  --alone           do not look for a server

Ends with 0 when all is printed, 2 when the command line is wrong, 3 when there is no history to be read.

  switchboard export --since 24h --status failed
  switchboard export --csv --tool get_weather > weather.csv
`,

  async run(args, context) {
    const text = { type: 'string' } as const;
    const { values, positionals } = readOptions(args, {
      tool: text,
      extension: text,
      actor: text,
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
    refuseWords(positionals, 'Filters are options, such as --tool get_weather, and a file is written by > calls.ndjson.');
    const { csv, url, alone, limit, since, until, ...rest } = values;
    if (url !== undefined && alone) throw wrongUsage('--url asks a server, --alone does without one; use one of them.');
    const most = limit === undefined ? Number.POSITIVE_INFINITY : readNumber('--limit', limit, 1, 9_999_999_999);
    const filter = readFilter({ ...rest, ...readTimes({ since, until }) });
    const history = (alone ? null : await serverHistory(context, url)) ?? openHistory(context);
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
      const whole = call.truncated === true || call.logs_truncated ? await history.whole(call.id) : call;
      // Calls are dropped while they are read; the next ones take their place.
      if (whole === null) continue;
      yield whole;
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
          `--${name} is "${value}"; accepted: a time such as 2026-11-21T12:00:00Z (UTC where it names no zone), a day, or 30m, 24h, 7d.`,
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
    whole: (id) => server.find(API.call(id), callSchema),
    close: async () => undefined,
  };
}

function openHistory(context: CommandContext): History {
  const folder = path.resolve(context.cwd, context.env['DATA_DIR'] || 'data');
  const file = path.join(folder, 'switchboard.db');
  if (!existsSync(file))
    throw cannotDo(`No server answers, and there is no history in ${folder}. Name the server by --url, or set DATA_DIR.`);
  const claimed = claimFolder(folder);
  if (!claimed.ok)
    throw cannotDo(
      claimed.isTaken
        ? `A server uses ${folder}, and does not answer where it was looked for. Name its address by --url.`
        : `The history in ${folder} cannot be read: ${claimed.reason}`,
    );
  const { claim } = claimed;
  const opened = openStore({ file });
  if (!opened.ok) {
    claim.release();
    throw cannotDo(opened.reason);
  }
  const { store } = opened;
  return {
    page: async (filter) => (await store.calls.list(filter)) ?? { calls: [], next_cursor: null },
    whole: async (id) => store.calls.get(id),
    async close() {
      await store.close();
      claim.release();
    },
  };
}
