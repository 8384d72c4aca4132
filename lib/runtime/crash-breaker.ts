/**
 * One for all extensions of a host. Each of them may be started again by its own budget; where dozens die within a minute the
 * cause is none of theirs (the machine has no memory left, a package of all is broken), and starting them all at once again
 * would only feed it. So from then on every start waits a while, until deaths are few again. Nobody has to act.
 */
export interface CrashBreaker {
  /** Records an unexpected end of any extension's process; how long its next start waits at least. */
  crash(): number;
}

const WINDOW_MS = 60_000;
/** More than a handful of broken extensions bring about by themselves: their budgets end at three each. */
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
