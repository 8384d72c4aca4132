import { randomUUIDv7 } from 'node:crypto';
import type { AuditDetail, AuditPage, AuditQuery } from '#lib/contract/audit.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import type { AuditRepository, AuditRow } from '#lib/store/account-store.ts';
import { createAuditMeter } from './audit-meter.ts';
import type { Counted, AuditedEvent } from './audit-meter.ts';

/**
 * The audit log. What can go wrong:
 * - repeated denials could fill the disk: repeats are counted (lib/accounts/audit-meter.ts);
 * - texts are external: they are truncated, and details never include bodies or headers;
 * - the database rejects a write: it is retried, because the event has happened;
 * - the server stops: queued entries and counts are written first.
 */
export interface Audit {
  /** Never waits and never fails. */
  record(event: AuditedEvent): void;
  list(query: AuditQuery): Promise<Result<AuditPage>>;
  /** Writes queued entries. */
  close(): Promise<void>;
}

export interface AuditOptions {
  readonly repository: AuditRepository;
  onError(error: unknown): void;
  now?(): number;
  /** Interval for writing counts. */
  readonly countedMs?: number;
  readonly retryMs?: number;
}

const MOST_WAITING = 10_000;
const LENGTHS = { name: 300, target: 400, address: 100, detail: 500 } as const;
const MOST_DETAILS = 20;

export function createAudit({ repository, onError, now = Date.now, countedMs = 60_000, retryMs = 5_000 }: AuditOptions): Audit {
  const meter = createAuditMeter();
  let waiting: AuditRow[] = [];
  let writing: Promise<void> | null = null;
  let minute: NodeJS.Timeout | null = null;
  let retry: NodeJS.Timeout | null = null;

  function write(rows: readonly AuditRow[]): void {
    // Beyond the maximum the newest are dropped: the start of an attack matters more.
    waiting.push(...rows.slice(0, MOST_WAITING - waiting.length));
    if (retry === null) writing ??= flush().finally(() => (writing = null));
  }

  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      try {
        await repository.append(group);
      } catch (error) {
        waiting = [...group, ...waiting].slice(0, MOST_WAITING);
        onError(error);
        retry = setTimeout(() => {
          retry = null;
          write([]);
        }, retryMs);
        retry.unref();
        return;
      }
    }
  }

  function endMinute(): void {
    if (minute !== null) clearTimeout(minute);
    minute = null;
    write(
      meter
        .drain()
        .map(({ event, count, since }: Counted) =>
          rowOf({ ...event, detail: { ...event.detail, repeated: count, since: iso(since) } }, now()),
        ),
    );
  }

  return {
    record(event) {
      const at = now();
      if (minute === null) minute = setTimeout(endMinute, countedMs).unref();
      if (meter.take(event, at)) write([rowOf(event, at)]);
    },
    async list(query) {
      const page = await repository.list(query);
      return page === null
        ? refuse('query_invalid', '`cursor` is not from an audit list. Omit it to start with the newest entry.')
        : ok(page);
    },
    async close() {
      if (retry !== null) clearTimeout(retry);
      retry = null;
      endMinute();
      await writing;
    },
  };
}

function rowOf({ actor, action, target, outcome, address, detail = {} }: AuditedEvent, at: number): AuditRow {
  return {
    id: randomUUIDv7(),
    at,
    actorKind: actor.kind,
    actorId: actor.id,
    actorName: cut(actor.name, LENGTHS.name),
    action,
    target: target === null ? null : cut(target, LENGTHS.target),
    outcome,
    address: address === null ? null : cut(address, LENGTHS.address),
    detail: cutDetail(detail),
  };
}

function cutDetail(detail: AuditDetail): AuditDetail {
  const fields = Object.entries(detail).slice(0, MOST_DETAILS);
  return Object.fromEntries(fields.map(([name, value]) => [name, typeof value === 'string' ? cut(value, LENGTHS.detail) : value]));
}

/** Truncates without splitting a character. */
function cut(text: string, most: number): string {
  return (text.length <= most ? text : `${text.slice(0, most)}…`).toWellFormed();
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
