import { readdirSync, readFileSync } from 'node:fs';
import { childrenOf, isAlive } from '#lib/testing/child-processes.ts';
import type { BenchServer } from './servers.ts';
import { wait } from './servers.ts';

/** Resource use of a server, from outside (Linux; elsewhere only the event loop lag). */
export interface Gauges {
  readonly at: number;
  readonly residentMb: number;
  readonly descriptors: number;
  /** Of the event loop, the worst ten seconds of the last minute. */
  readonly lagMs: number;
}

export async function readGauges(server: BenchServer): Promise<Gauges> {
  const metrics = await fetch(`${server.url}/metrics`).then(
    (answer) => answer.text(),
    () => '',
  );
  const lag = /^switchboard_event_loop_lag_seconds\{quantile="0\.99"\} (\S+)$/m.exec(metrics)?.[1];
  return {
    at: performance.now(),
    residentMb: Number(/^VmRSS:\s+(\d+) kB/m.exec(readProc(server.pid, 'status'))?.[1] ?? Number.NaN) / 1_024,
    descriptors: countDescriptors(server.pid),
    lagMs: Number(lag ?? Number.NaN) * 1_000,
  };
}

/** Growth of resident memory by least squares, after the first third. */
export function slopeMbPerMinute(gauges: readonly Gauges[]): number {
  const settled = gauges.slice(Math.floor(gauges.length / 3));
  const mean = (of: (gauge: Gauges) => number): number => settled.reduce((sum, gauge) => sum + of(gauge), 0) / settled.length;
  const [at, resident] = [mean((gauge) => gauge.at), mean((gauge) => gauge.residentMb)];
  const spread = settled.reduce((sum, gauge) => sum + (gauge.at - at) ** 2, 0);
  const common = settled.reduce((sum, gauge) => sum + (gauge.at - at) * (gauge.residentMb - resident), 0);
  return (common / spread) * 60_000;
}

/** All descendant processes. */
export function descendantsOf(pid: number): readonly number[] {
  return childrenOf(pid).flatMap((child) => [child.pid, ...descendantsOf(child.pid)]);
}

/** Time until all exited, and those that did not. */
export async function untilGone(
  pids: readonly number[],
  limitMs: number,
): Promise<{ readonly ms: number; readonly left: readonly number[] }> {
  const began = performance.now();
  for (;;) {
    const left = pids.filter(isAlive);
    const ms = performance.now() - began;
    if (left.length === 0 || ms > limitMs) return { ms, left };
    await wait(10);
  }
}

const TICKS_A_SECOND = 100;

/** Used so far. @param withEnded also by children that ended */
export function processorSeconds(pid: number, withEnded: boolean): number {
  const fields = statOf(pid);
  // utime, stime, cutime, cstime
  const times = fields.slice(11, withEnded ? 15 : 13).map(Number);
  return times.reduce((sum, ticks) => sum + ticks, 0) / TICKS_A_SECOND;
}

export function parentOf(pid: number): number {
  return Number(statOf(pid)[1] ?? 0);
}

/** Fields from the state on. */
function statOf(pid: number): readonly string[] {
  const text = readProc(pid, 'stat');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function countDescriptors(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return Number.NaN;
  }
}

function readProc(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}
