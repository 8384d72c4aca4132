import { randomUUIDv7 } from 'node:crypto';
import type { AuditDetail, AuditPage, AuditQuery } from '#lib/contract/audit.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import type { AuditRepository, AuditRow } from '#lib/store/team-store.ts';
import { createAuditMeter } from './audit-meter.ts';
import type { Counted, Happening } from './audit-meter.ts';

/**
 * Who did what. What can go wrong, and what is done:
 * - whoever repeats what is refused could fill the disk: repeats are counted (lib/accounts/audit-meter.ts);
 * - what is told comes from outside: texts are cut, and details are chosen by whoever tells, never bodies or headers;
 * - the database does not take it now: it is kept and tried again, as what it tells of has happened all the same;
 * - the server stops: what was counted and what waits is written first.
 */
export interface Audit {
  /** Never waits and never fails: what it tells of has happened. */
  record(happening: Happening): void;
  list(query: AuditQuery): Result<AuditPage>;
  /** Writes what waits. */
  close(): Promise<void>;
}

export interface AuditOptions {
  readonly repository: AuditRepository;
  onError(error: unknown): void;
  now?(): number;
  /** How long repeats are counted before they are written. */
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
    // Beyond the most, the newest are those that are lost: an attack is seen by how it began.
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
        .map(({ happening, count, since }: Counted) =>
          rowOf({ ...happening, detail: { ...happening.detail, repeated: count, since: iso(since) } }, now()),
        ),
    );
  }

  return {
    record(happening) {
      const at = now();
      if (minute === null) minute = setTimeout(endMinute, countedMs).unref();
      if (meter.take(happening, at)) write([rowOf(happening, at)]);
    },
    list(query) {
      const page = repository.list(query);
      return page === null
        ? refuse('query_invalid', '`cursor` is not one that a list of the audit gave. Leave it out to begin at the newest.')
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

function rowOf({ actor, action, target, outcome, address, detail = {} }: Happening, at: number): AuditRow {
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

/** At most so many characters, none of them half. */
function cut(text: string, most: number): string {
  return (text.length <= most ? text : `${text.slice(0, most)}…`).toWellFormed();
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
