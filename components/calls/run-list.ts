const RUNS_MOST = 12;
const ID_MOST = 100;

/** Ids of runs as they were kept; none when the text is not what was written. */
export function readRuns(text: string | null): readonly string[] {
  if (text === null) return [];
  try {
    const kept: unknown = JSON.parse(text);
    return Array.isArray(kept) && kept.length <= RUNS_MOST && kept.every(isId) ? kept : [];
  } catch {
    return [];
  }
}

/** With one more in front; the oldest go. */
export function withRun(runs: readonly string[], id: string): readonly string[] {
  return runs.includes(id) ? runs : [id, ...runs].slice(0, RUNS_MOST);
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value.length <= ID_MOST;
}
