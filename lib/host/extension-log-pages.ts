import { randomUUID } from 'node:crypto';
import type { Extension, ExtensionLogLine } from '#lib/contract/extension.ts';
import type { ExtensionLogPage } from '#lib/contract/extension-reports.ts';
import type { RunningExtension } from '#lib/runtime/runtime.ts';

/**
 * An extension's log from a reader's last position. Every running revision has its own log, so a cursor contains the
 * log's id and the number of lines read; a cursor of another log gets the complete current log.
 */
export interface ExtensionLogPages {
  read(extension: Extension, running: RunningExtension | null, after: string | null): ExtensionLogPage;
}

export function createExtensionLogPages(): ExtensionLogPages {
  const names = new WeakMap<RunningExtension, string>();

  function nameOf(running: RunningExtension): string {
    const known = names.get(running) ?? randomUUID();
    names.set(running, known);
    return known;
  }

  return {
    read(extension, running, after) {
      const log = running?.logs() ?? { lines: printedLines(extension), dropped: 0 };
      const name = running === null ? `load-${extension.failure?.id ?? 'none'}` : nameOf(running);
      const [afterName, afterCount = ''] = after?.split('.') ?? [];
      const read = afterName === name && /^\d{1,15}$/.test(afterCount) ? Number(afterCount) : 0;
      const seen = Math.min(Math.max(0, read - log.dropped), log.lines.length);
      return {
        revision: running === null ? null : (extension.serving_revision ?? extension.failure?.revision ?? null),
        lines: log.lines.slice(seen),
        cursor: `${name}.${log.dropped + log.lines.length}`,
        restarted: after !== null && afterName !== name,
        dropped: Math.max(0, log.dropped - read),
      };
    },
  };
}

/** Of an extension that failed to load: its output during the load. */
export function printedLines({ failure }: Extension): ExtensionLogLine[] {
  const lines = failure?.output?.trimEnd().split('\n') ?? [];
  return lines.map((message) => ({
    time: failure?.last_seen ?? new Date(0).toISOString(),
    level: 'info',
    stream: 'stdout',
    message,
    call_id: null,
  }));
}
