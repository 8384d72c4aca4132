import type { Result } from '#lib/contract/result.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { RevisionComparison, RevisionPair, ToolChange } from '#lib/contract/revision-comparison.ts';
import { readDescription } from '#lib/loader/build-record.ts';
import { compareTools } from '#lib/schema/compare-tools.ts';
import type { RevisionRow, Store } from '#lib/store/store.ts';
import { findRefusals } from './find-refusals.ts';
import type { RevisionRunners } from './revision-runners.ts';

const TOOLS_CHECKED = 20;
const FILE_CHARACTERS = 262_144;

/** Two revisions side by side. Recent and saved calls are validated against the second one, not run. */
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
  const changed = tools?.filter((tool) => tool.change === 'changed' && tool.breaking).slice(0, TOOLS_CHECKED) ?? [];
  const gone = tools?.filter((tool) => tool.change === 'removed') ?? [];
  const refusals = await findRefusals(id, to, { changed: namesOf(changed), gone: namesOf(gone) }, store, runners);
  return ok({
    extension: id,
    from,
    to,
    files: changedFiles(before, after),
    tools,
    breaking: tools?.some((tool) => tool.breaking) ?? false,
    ...refusals,
  });
}

function namesOf(tools: readonly ToolChange[]): readonly string[] {
  return tools.map(({ tool }) => tool);
}

function changedFiles(before: RevisionRow, after: RevisionRow): RevisionComparison['files'] {
  if (Object.keys(before.sources).length === 0 || Object.keys(after.sources).length === 0) return null;
  const paths = [...new Set([...Object.keys(before.sources), ...Object.keys(after.sources)])].toSorted();
  return paths
    .filter((path) => before.sources[path] !== after.sources[path])
    .map((path) => ({
      path,
      before: cut(before.sources[path]),
      after: cut(after.sources[path]),
      unread: [before, after].some(({ build, sources }) => build === null && sources[path] === undefined),
    }));
}

function cut(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (text.length <= FILE_CHARACTERS) return text;
  return `${text.slice(0, FILE_CHARACTERS)}\n… ${(text.length - FILE_CHARACTERS).toLocaleString('en')} more characters are not shown`;
}
