import type { Call } from '#lib/contract/call.ts';
import type { Result } from '#lib/contract/result.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { RevisionComparison, RevisionPair } from '#lib/contract/revision-comparison.ts';
import { readDescription } from '#lib/loader/build-record.ts';
import { compareTools } from '#lib/schema/compare-tools.ts';
import type { RevisionRow, Store } from '#lib/store/store.ts';
import type { RevisionRunners } from './revision-runners.ts';

const RECENT_CALLS = 20;
const TOOLS_CHECKED = 20;
const FILE_CHARACTERS = 262_144;

/** Two revisions side by side. The recent calls are validated against the second one, not run. */
export async function compareRevisions(
  id: string,
  { from, to }: RevisionPair,
  store: Store,
  runners: RevisionRunners,
): Promise<Result<RevisionComparison>> {
  const before = store.revisions.get(id, from);
  const after = store.revisions.get(id, to);
  if (before === null || after === null)
    return refuse(
      'revision_not_found',
      `${id} has no revision ${before === null ? from : to}. GET /api/v1/extensions/{id} lists its revisions.`,
    );
  const old = readDescription(before.description)?.tools ?? null;
  const next = readDescription(after.description)?.tools ?? null;
  const tools = old === null || next === null ? null : [...compareTools(old, next)];
  const suspects = tools?.filter((tool) => tool.change === 'changed' && tool.breaking).slice(0, TOOLS_CHECKED) ?? [];
  const checked = await checkCalls(
    id,
    to,
    suspects.flatMap((tool) => recentCalls(store, id, tool.tool)),
    runners,
  );
  return ok({
    extension: id,
    from,
    to,
    files: changedFiles(before, after),
    tools,
    breaking: tools?.some((tool) => tool.breaking) ?? false,
    ...checked,
  });
}

function changedFiles(before: RevisionRow, after: RevisionRow): RevisionComparison['files'] {
  if (Object.keys(before.sources).length === 0 || Object.keys(after.sources).length === 0) return null;
  const paths = [...new Set([...Object.keys(before.sources), ...Object.keys(after.sources)])].toSorted();
  return paths
    .filter((path) => before.sources[path] !== after.sources[path])
    .map((path) => ({ path, before: cut(before.sources[path]), after: cut(after.sources[path]) }));
}

function cut(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (text.length <= FILE_CHARACTERS) return text;
  return `${text.slice(0, FILE_CHARACTERS)}\n… ${(text.length - FILE_CHARACTERS).toLocaleString('en')} more characters are not shown`;
}

/** Whole, and with nothing replaced: what was redacted cannot be judged. */
function recentCalls(store: Store, extension: string, tool: string): Call[] {
  const page = store.calls.list({ tool, extension, status: 'succeeded', limit: RECENT_CALLS });
  return (page?.calls ?? []).flatMap((listed) => {
    const call = store.calls.get(listed.id);
    return call === null || call.redacted.length > 0 ? [] : [call];
  });
}

async function checkCalls(
  id: string,
  revision: number,
  calls: readonly Call[],
  runners: RevisionRunners,
): Promise<Pick<RevisionComparison, 'checked_calls' | 'refused'>> {
  if (calls.length === 0) return { checked_calls: 0, refused: [] };
  const running = await runners.runningOn(id, revision);
  if (!running.ok) return { checked_calls: null, refused: [] };
  const judged = await Promise.all(
    calls.map(async (call) => ({
      call_id: call.id,
      tool: call.tool,
      issues: [...(await running.value.validate(call.tool, JSON.stringify(call.arguments)))],
    })),
  );
  return { checked_calls: calls.length, refused: judged.filter((call) => call.issues.some((issue) => issue.keyword !== 'unavailable')) };
}
