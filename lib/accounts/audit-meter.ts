import type { AuditDetail } from '#lib/contract/audit.ts';
import type { AuditActorKind, AuditOutcome } from '#lib/contract/audit-events.ts';

/**
 * Rate limit of the audit log. Entries are never deleted, so repeated denials could fill the disk. Entries beyond the limits of
 * a minute are counted and written at its end as one entry with the count; only their times are lost. Permitted actions of
 * admins are always written.
 *
 * Denied and failed attempts, and calls of dangerous tools, have separate limits per source and in total; of equal denials only
 * the first is written.
 */
export interface AuditedEvent {
  readonly actor: { readonly kind: AuditActorKind; readonly id: string | null; readonly name: string };
  readonly action: string;
  readonly target: string | null;
  readonly outcome: AuditOutcome;
  readonly address: string | null;
  readonly detail?: AuditDetail;
}

export interface Counted {
  readonly event: AuditedEvent;
  readonly count: number;
  /** Time of the first one. */
  readonly since: number;
}

export interface AuditMeter {
  /** True: write it now. False: it was counted. */
  take(event: AuditedEvent, at: number): boolean;
  /** Returns the counts and starts a new minute. */
  drain(): readonly Counted[];
}

interface Measure {
  /** Entries per source, and in total. */
  readonly ofSource: number;
  readonly ofAll: number;
  /** Only the first of equal entries. */
  readonly onlyFirst: boolean;
}

const REFUSED: Measure = { ofSource: 20, ofAll: 200, onlyFirst: true };
const CALLS: Measure = { ofSource: 60, ofAll: 600, onlyFirst: false };
/** Distinct repeats; further ones are grouped by action and outcome. */
const DISTINCT_MOST = 100;
/** Frequent actions with a limit. */
const OFTEN: ReadonlySet<string> = new Set(['tools.call', 'tools.probe', 'channels.inject']);

export function createAuditMeter(): AuditMeter {
  let counted = new Map<string, Counted>();
  let written = new Map<Measure, Map<string, number>>();
  let first = new Set<string>();

  const count = (key: string, event: AuditedEvent, at: number): void => {
    const known = counted.get(key);
    counted.set(key, { event, since: known?.since ?? at, count: (known?.count ?? 0) + 1 });
  };

  const mayWrite = (measure: Measure, source: string, key: string): boolean => {
    if (measure.onlyFirst && first.has(key)) return false;
    const sources = written.get(measure) ?? new Map<string, number>();
    written.set(measure, sources);
    const ofSource = sources.get(source) ?? 0;
    const ofAll = sources.get('') ?? 0;
    if (ofSource >= measure.ofSource || ofAll >= measure.ofAll) return false;
    sources.set(source, ofSource + 1);
    sources.set('', ofAll + 1);
    if (measure.onlyFirst) first.add(key);
    return true;
  };

  return {
    take(event, at) {
      const { actor, action, target, outcome, address } = event;
      const measure = outcome !== 'done' ? REFUSED : OFTEN.has(action) ? CALLS : null;
      if (measure === null) return true;
      const source = `of ${actor.id ?? address ?? actor.kind}`;
      const key = JSON.stringify([source, action, target, outcome]);
      if (mayWrite(measure, source, key)) return true;
      if (counted.has(key) || counted.size < DISTINCT_MOST) count(key, event, at);
      else count(JSON.stringify([action, outcome]), { ...event, actor: SEVERAL, target: null, address: null, detail: {} }, at);
      return false;
    },
    drain() {
      const all = [...counted.values()];
      counted = new Map();
      written = new Map();
      first = new Set();
      return all;
    },
  };
}

const SEVERAL = { kind: 'server', id: null, name: 'several' } as const;
