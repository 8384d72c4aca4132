import { relativeInWords } from '#components/ui/times.ts';
import type { Extension } from '#lib/contract/extension.ts';

const PERMISSIONS: Record<string, string> = {
  net: 'use the network',
  read: 'read any file',
  write: 'write any file',
  run: 'start programs',
  addons: 'load native add-ons',
  workers: 'start worker threads',
};

/** What the extension may do beyond its own folder, in words; one that is not known is shown as it is called. */
export function permissionInWords(permission: string): string {
  return PERMISSIONS[permission] ?? permission;
}

const PROCESS: Record<Extension['process']['state'], string> = {
  none: 'not started yet; it starts with the next call',
  starting: 'starting',
  running: 'running',
  backoff: 'stopped; it starts again by itself',
  stopped: 'stopped',
  crash_loop: 'stopped too often; not started again by itself',
};

export function processInWords({ process, serving_revision }: Pick<Extension, 'process' | 'serving_revision'>, now: number): string {
  if (process.state === 'none' && serving_revision === null) return 'none, as nothing serves';
  const retry = process.retry_at === null ? '' : ` ${relativeInWords(Date.parse(process.retry_at), now)}`;
  const restarts = process.restarts === 0 ? '' : `, started again ${process.restarts === 1 ? 'once' : `${process.restarts} times`}`;
  const pid = process.pid === null ? '' : ` (process ${process.pid})`;
  return `${PROCESS[process.state]}${process.state === 'backoff' ? retry : ''}${pid}${restarts}`;
}
