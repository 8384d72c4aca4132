import { z } from 'zod';

const RUNS_MOST = 12;
const idsSchema = z.array(z.string().max(100)).max(RUNS_MOST);

/** Ids of runs as they were kept; none when the text is not what was written. */
export function readRuns(text: string | null): readonly string[] {
  if (text === null) return [];
  try {
    return idsSchema.safeParse(JSON.parse(text)).data ?? [];
  } catch {
    return [];
  }
}

/** With one more in front; the oldest go. */
export function withRun(runs: readonly string[], id: string): readonly string[] {
  return runs.includes(id) ? runs : [id, ...runs].slice(0, RUNS_MOST);
}
