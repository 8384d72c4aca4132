import type { LogEntry } from '#lib/client/extension-queries.ts';
import type { LogLevel } from '#lib/contract/call.ts';

/** Entries of a level and with all the words; what stands between lines stays, as long as there is no search. */
export function filterLog(entries: readonly LogEntry[], level: LogLevel | null, search: string): readonly LogEntry[] {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (level === null && words.length === 0) return entries;
  return entries.filter((entry) => {
    if (entry.kind !== 'line') return words.length === 0;
    if (level !== null && entry.line.level !== level) return false;
    const text = entry.line.message.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** How many lines there are of each level. */
export function countLevels(entries: readonly LogEntry[]): ReadonlyMap<LogLevel, number> {
  const counts = new Map<LogLevel, number>();
  for (const entry of entries) if (entry.kind === 'line') counts.set(entry.line.level, (counts.get(entry.line.level) ?? 0) + 1);
  return counts;
}

/** As text, for a ticket: time, level and message of each line. */
export function logAsText(entries: readonly LogEntry[]): string {
  return entries
    .map((entry) => {
      if (entry.kind === 'revision') return `--- revision ${entry.revision ?? 'none'} ---`;
      if (entry.kind === 'dropped') return `--- ${entry.count} lines were no longer kept ---`;
      return `${entry.line.time} ${entry.line.level} ${entry.line.message}`;
    })
    .join('\n');
}
