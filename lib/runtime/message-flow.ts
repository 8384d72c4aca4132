import type { LogLevel } from '#lib/contract/call.ts';

/**
 * Limits the log lines and progress of a process. Up to a limit all pass at once; beyond it only the newest of an interval are
 * held, unparsed, and the rest is counted. Held lines pass at the end of the interval, and before the end of any call, so that a
 * call's last lines are never missing. The number of missing lines is reported where they are missing, and again at the end of
 * their call, where newer lines cannot evict it.
 */
export interface MessageFlow {
  log(id: number, level: LogLevel, payload: Buffer): void;
  progress(id: number, step: ProgressStep): void;
  /** Emits all held lines. */
  flush(): void;
  /** A call ends: emits all held lines, and reports how many of its lines are missing. */
  end(id: number): void;
  close(): void;
}

export interface ProgressStep {
  readonly done: number;
  readonly total: number | null;
  readonly message: string | null;
}

export interface MessageFlowOptions {
  readonly onLog: (id: number, level: LogLevel, payload: Buffer) => void;
  readonly onProgress: (id: number, step: ProgressStep) => void;
  /** @param id of a call: lines since the last report, or its total at its end; null: of all calls, since the last report */
  readonly onLeftOut: (lines: number, id: number | null) => void;
}

/** The text in place of missing lines. */
export function leftOutText(lines: number): string {
  return `${lines} log lines were left out: they arrived faster than they could be stored`;
}

const INTERVAL_MS = 100;
const LINES_AT_ONCE = 500;
const BYTES_AT_ONCE = 65_536;
const STEPS_AT_ONCE = 5;
const HELD_BYTES = 65_536;

export function createMessageFlow({ onLog, onProgress, onLeftOut }: MessageFlowOptions): MessageFlow {
  let held: { readonly id: number; readonly level: LogLevel; readonly payload: Buffer }[] = [];
  let first = 0;
  let heldBytes = 0;
  let leftOut = 0;
  const leftOutOf = new Map<number, { unreported: number; all: number }>();
  const steps = new Map<number, ProgressStep>();
  let lines = 0;
  let bytes = 0;
  let stepsPassed = 0;
  let interval: NodeJS.Timeout | null = null;

  const begin = (): void => {
    interval ??= setTimeout(endInterval, INTERVAL_MS).unref();
  };

  const endInterval = (): void => {
    interval = null;
    lines = 0;
    bytes = 0;
    stepsPassed = 0;
    flush();
  };

  const flush = (): void => {
    if (steps.size > 0) {
      const passing = [...steps];
      steps.clear();
      for (const [id, step] of passing) onProgress(id, step);
    }
    if (held.length === 0) return;
    const passing = held.slice(first);
    const missing = leftOut;
    held = [];
    first = 0;
    heldBytes = 0;
    leftOut = 0;
    if (missing > 0) {
      onLeftOut(missing, null);
      for (const [id, of] of leftOutOf) {
        if (of.unreported > 0) onLeftOut(of.unreported, id);
        of.unreported = 0;
      }
    }
    for (const { id, level, payload } of passing) onLog(id, level, payload);
  };

  const countOf = (id: number): void => {
    const of = leftOutOf.get(id) ?? { unreported: 0, all: 0 };
    of.unreported += 1;
    of.all += 1;
    leftOutOf.set(id, of);
  };

  const hold = (id: number, level: LogLevel, payload: Buffer): void => {
    held.push({ id, level, payload: Buffer.from(payload) });
    heldBytes += payload.length + 32;
    while (heldBytes > HELD_BYTES && first < held.length - 1) {
      const oldest = held[first];
      heldBytes -= (oldest?.payload.length ?? 0) + 32;
      if (oldest !== undefined) countOf(oldest.id);
      first += 1;
      leftOut += 1;
    }
    if (first > 4_096) {
      held = held.slice(first);
      first = 0;
    }
  };

  return {
    log(id, level, payload) {
      begin();
      lines += 1;
      bytes += payload.length;
      if (lines <= LINES_AT_ONCE && bytes <= BYTES_AT_ONCE) onLog(id, level, payload);
      else hold(id, level, payload);
    },
    progress(id, step) {
      begin();
      stepsPassed += 1;
      if (stepsPassed <= STEPS_AT_ONCE) onProgress(id, step);
      else steps.set(id, step);
    },
    flush,
    end(id) {
      flush();
      const missing = leftOutOf.get(id)?.all ?? 0;
      leftOutOf.delete(id);
      if (missing > 0) onLeftOut(missing, id);
    },
    close() {
      if (interval !== null) clearTimeout(interval);
      interval = null;
      flush();
    },
  };
}
