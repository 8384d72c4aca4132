import { findParentDeathPrefix } from '#lib/runtime/parent-death.ts';
import type { HostHealth } from './host.ts';

/** What keeps extensions apart from the host and from each other on this machine: isolation of faults, not a wall against malice. */
export interface IsolationReport {
  current(): HostHealth['isolation'];
}

export function createIsolationReport(): IsolationReport {
  const detail = [
    'one process per extension',
    'Node permission flags from EXTENSION_ALLOW',
    'a chosen environment',
    'limits of time and memory',
  ];
  findParentDeathPrefix().then(
    (prefix) => detail.push(prefix.length > 0 ? 'ended by the kernel when the host dies' : 'ended by themselves when the host dies'),
    () => undefined,
  );
  return { current: () => ({ level: 'process and permissions', detail }) };
}
