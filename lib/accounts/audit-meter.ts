import type { AuditDetail } from '#lib/contract/audit.ts';
import type { AuditActorKind, AuditOutcome } from '#lib/contract/audit-events.ts';

/**
 * How much of what happens is written one by one. The audit is never made shorter, so whoever repeats what is refused could
 * fill the disk with it. What goes beyond the measures of a minute is therefore counted, and written at its end as one entry
 * that says how often it was: nothing is left out, only the time of each repeat. What an admin does is always written.
 *
 * Measured are refused and failed tries, and calls of dangerous tools, each with measures of its own, so that a flood of the one
 * hides nothing of the other: of one source so many, of all so many, and of a refused try only the first of its kind.
 */
export interface Happening {
  readonly actor: { readonly kind: AuditActorKind; readonly id: string | null; readonly name: string };
  readonly action: string;
  readonly target: string | null;
  readonly outcome: AuditOutcome;
  readonly address: string | null;
  readonly detail?: AuditDetail;
}

export interface Counted {
  readonly happening: Happening;
  readonly count: number;
  /** When the first of them happened. */
  readonly since: number;
}

export interface AuditMeter {
  /** True: it is to be written now. False: it was counted. */
  take(happening: Happening, at: number): boolean;
  /** What was counted. The minute begins anew. */
  drain(): readonly Counted[];
}

interface Measure {
  /** Entries of one source, and of all. */
  readonly ofSource: number;
  readonly ofAll: number;
  /** Only the first of the same. */
  readonly onlyFirst: boolean;
}

const REFUSED: Measure = { ofSource: 20, ofAll: 200, onlyFirst: true };
const CALLS: Measure = { ofSource: 60, ofAll: 600, onlyFirst: false };
/** Kinds of repeats that are told apart; the others only by action and outcome. */
const TOLD_APART = 100;
/** What may be done often, and so is measured. */
const OFTEN: ReadonlySet<string> = new Set(['tools.call', 'channels.inject']);

export function createAuditMeter(): AuditMeter {
  let counted = new Map<string, Counted>();
  let written = new Map<Measure, Map<string, number>>();
  let first = new Set<string>();

  const count = (key: string, happening: Happening, at: number): void => {
    const known = counted.get(key);
    counted.set(key, { happening, since: known?.since ?? at, count: (known?.count ?? 0) + 1 });
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
    take(happening, at) {
      const { actor, action, target, outcome, address } = happening;
      const measure = outcome !== 'done' ? REFUSED : OFTEN.has(action) ? CALLS : null;
      if (measure === null) return true;
      const source = `of ${actor.id ?? address ?? actor.kind}`;
      const key = JSON.stringify([source, action, target, outcome]);
      if (mayWrite(measure, source, key)) return true;
      if (counted.has(key) || counted.size < TOLD_APART) count(key, happening, at);
      else count(JSON.stringify([action, outcome]), { ...happening, actor: SEVERAL, target: null, address: null, detail: {} }, at);
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
