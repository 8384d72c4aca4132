import { withoutMark } from '#lib/contract/byte-order-mark.ts';
import type { Result } from '#lib/contract/result.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Undone, UndoFile, UndoPlan, UndoRequest } from '#lib/contract/source-file.ts';
import type { Slot } from '#lib/loader/extension-slot.ts';
import { relativeFile } from '#lib/loader/failure-occurrence.ts';
import { ENTRY_EXTENSIONS, ENTRY_STEM } from '#lib/loader/folder-items.ts';
import type { Store } from '#lib/store/store.ts';
import { unknownExtension } from './extension-actions.ts';
import type { Actor } from './host.ts';
import type { SourceChanges, SourceFiles } from './source-files.ts';

/**
 * Restores the files of an extension from a revision with stored sources, as an edit. What can go wrong:
 * - a file changed since the plan: nothing is written, and the file is named;
 * - other extensions use a file: they are named;
 * - a file was added later: it stays unless its removal is requested;
 * - a file cannot be written here: it is named and skipped.
 * Files outside of the program, such as data and tests, are in no revision and stay unchanged. A removed extension is
 * restored the same way.
 */
export interface SourceUndo {
  planUndo(id: string, revision: number): Promise<Result<UndoPlan>>;
  undo(id: string, request: UndoRequest, actor: Actor): Promise<Result<Undone>>;
}

export interface SourceUndoOptions {
  readonly extensionsDir: string;
  readonly readOnly: boolean;
  readonly slots: ReadonlyMap<string, Slot>;
  readonly revisions: Pick<Store['revisions'], 'get' | 'latest'>;
  readonly sources: Pick<SourceFiles, 'read' | 'writeAll'>;
}

type Seen = { readonly text: string; readonly hash: string } | 'absent' | { readonly reason: string };

export function createSourceUndo(options: SourceUndoOptions): SourceUndo {
  const { extensionsDir, slots, revisions, sources } = options;

  async function look(path: string): Promise<Seen> {
    const read = await sources.read(path);
    if (read.ok) return read.value;
    return read.problem.code === 'source_not_found' ? 'absent' : { reason: read.problem.detail };
  }

  function usedBy(path: string, except: string): string[] {
    return [...slots.values()]
      .filter(({ id, newest }) => id !== except && newest?.inputs.some((input) => relativeFile(extensionsDir, input.path) === path))
      .map(({ id }) => id)
      .toSorted();
  }

  async function planUndo(id: string, revision: number): Promise<Result<UndoPlan>> {
    // A removed extension has no slot, but its revisions stay.
    if (!slots.has(id) && (await revisions.latest(id)) === null) return unknownExtension(id);
    const row = await revisions.get(id, revision);
    if (row === null)
      return refuse('revision_not_found', `${id} has no revision ${revision}. GET /api/v1/extensions/{id} lists its revisions.`);
    const kept = row.sources;
    if (Object.keys(kept).length === 0)
      return refuse(
        'revision_not_found',
        `The sources of revision ${revision} of ${id} are no longer stored; only those of its newest 20 are.`,
      );
    const newest = (await revisions.latest(id))?.sources ?? {};
    const files: UndoFile[] = [];
    const left: UndoPlan['left'] = [];
    for (const [path, after] of Object.entries(kept)) {
      const seen = await look(path);
      // Stored sources have no byte order mark.
      if (typeof seen === 'object' && 'text' in seen && withoutMark(seen.text) === after) continue;
      const reason = path.endsWith(`(${id})`)
        ? 'It is one entry of an mcp.json with several servers. Change it there manually.'
        : after.includes('\uFFFD')
          ? 'It was not entirely UTF-8 text, so its original is not stored.'
          : typeof seen === 'object' && 'reason' in seen
            ? seen.reason
            : null;
      if (reason === null && (seen === 'absent' || (typeof seen === 'object' && 'text' in seen))) {
        const now = seen === 'absent' ? { text: null, hash: null } : seen;
        files.push({ path, before: now.text, hash: now.hash, after, used_by: usedBy(path, id) });
      } else if (newest[path] !== after) left.push({ path, reason: reason ?? 'It cannot be written here.' });
    }
    const extra: UndoPlan['extra'] = [];
    for (const path of Object.keys(newest).filter((each) => !Object.hasOwn(kept, each) && usedBy(each, id).length === 0)) {
      const seen = await look(path);
      if (typeof seen === 'object' && 'text' in seen) extra.push({ path, hash: seen.hash });
    }
    const same = Object.keys(kept).length - files.length - left.length;
    return ok({ extension: id, revision, read_only: options.readOnly, files, same, extra, left });
  }

  return {
    planUndo,
    async undo(id, request, actor) {
      const found = await planUndo(id, request.revision);
      if (!found.ok) return found;
      const { files, extra } = found.value;
      const moved = files.filter(({ path, hash }) => request.files[path] !== hash).map(({ path }) => path);
      const gone = Object.keys(request.files).filter((path) => !files.some((file) => file.path === path));
      const kept = Object.entries(request.remove).filter(([path, hash]) => !extra.some((file) => file.path === path && file.hash === hash));
      const other = [...moved, ...gone, ...kept.map(([path]) => path)];
      if (other.length > 0)
        return refuse(
          'source_changed',
          `Nothing was written: ${other.join(', ')} ${other.length === 1 ? 'has' : 'have'} changed since the plan was read. GET /api/v1/extensions/{id}/undo returns the current differences.`,
        );
      if (files.length === 0 && Object.keys(request.remove).length === 0)
        return refuse('state_conflict', `Nothing to restore: the files of ${id} already match revision ${request.revision}.`);
      // The file that imports the others comes last, so that nothing is loaded in part.
      const current = slots.get(id)?.entryFile ?? null;
      const entry = current === null ? null : relativeFile(extensionsDir, current);
      const isEntry = (path: string): boolean => path === entry || mayBeEntry(id, path);
      const changes: SourceChanges = [
        ...Object.entries(request.remove).map(([path, hash]) => ({ path, text: null, expected_hash: hash })),
        ...files
          .toSorted((one, next) => Number(isEntry(one.path)) - Number(isEntry(next.path)))
          .map(({ path, before, after, hash }) => ({ path, text: withMarkOf(before, after), expected_hash: hash })),
      ];
      const written = await sources.writeAll(changes, actor);
      if (!written.ok) return written;
      return ok({
        extension: id,
        revision: request.revision,
        written: files.map(({ path }) => path),
        removed: Object.keys(request.remove),
        changed: [...written.value],
      });
    },
  };
}

/** Stored sources have no byte order mark; if the current file has one, it is preserved. */
function withMarkOf(before: string | null, after: string): string {
  return before !== null && withoutMark(before) !== before ? `\uFEFF${after}` : after;
}

/** Of a removed extension, or before its entry was renamed: by the names that a scan accepts. */
function mayBeEntry(id: string, path: string): boolean {
  const isModule = [id, `${id}/${ENTRY_STEM}`].some((stem) => path.startsWith(stem) && ENTRY_EXTENSIONS.has(path.slice(stem.length)));
  return isModule || path === `${id}/mcp.json`;
}
