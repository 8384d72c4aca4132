import type { CallLog, CallProgress } from '#lib/contract/call.ts';
import { LIMITS } from '#lib/contract/limits.ts';

/** Newest log lines of a running call, limited in bytes, and its latest progress. */
export interface CallNotes {
  addLog(log: CallLog): void;
  setProgress(progress: CallProgress): void;
  read(): NotesOfCall;
}

export interface NotesOfCall {
  readonly logs: readonly CallLog[];
  readonly isTruncated: boolean;
  readonly progress: CallProgress | null;
}

export function createCallNotes(mostBytes: number = LIMITS.callLogBytes): CallNotes {
  let logs: { log: CallLog; bytes: number }[] = [];
  let bytes = 0;
  let isTruncated = false;
  let progress: CallProgress | null = null;
  return {
    addLog(log) {
      const size = Buffer.byteLength(log.message) + (log.data === null ? 0 : Buffer.byteLength(JSON.stringify(log.data) ?? '')) + 48;
      logs.push({ log, bytes: size });
      bytes += size;
      let drop = 0;
      while (bytes > mostBytes && drop < logs.length - 1) bytes -= logs[drop++]?.bytes ?? 0;
      if (drop > 0) {
        logs = logs.slice(drop);
        isTruncated = true;
      }
    },
    setProgress(next) {
      progress = next;
    },
    read: () => ({ logs: logs.map((item) => item.log), isTruncated, progress }),
  };
}
