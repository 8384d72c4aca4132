/**
 * One for all extensions of a host. Each extension has its own restart budget. If dozens crash within a minute the cause is shared
 * (no memory left, a broken package), and restarting all at once makes it worse. So every start is delayed until crashes are rare
 * again.
 */
export interface CrashBreaker {
  /** Records a crash of any extension; returns the minimum delay of its next start. */
  crash(): number;
}

const WINDOW_MS = 60_000;
/** A handful of broken extensions stays below it: their budgets end at three crashes each. */
export const CRASHES_A_MINUTE = 50;
const HOLD_MS = 10_000;

export function createCrashBreaker(elapsed: () => number = () => performance.now()): CrashBreaker {
  let recent: number[] = [];
  return {
    crash() {
      const time = elapsed();
      recent = [...recent.filter((at) => time - at < WINDOW_MS), time].slice(-CRASHES_A_MINUTE - 1);
      return recent.length > CRASHES_A_MINUTE ? HOLD_MS : 0;
    },
  };
}
