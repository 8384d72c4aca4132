import type { SnapshotCause, SnapshotChanges } from '#lib/contract/snapshot.ts';

/** Cause of a version: "saved weather/extension.ts", "reload by Mia". */
export function causeInWords({ cause, changes }: { readonly cause: SnapshotCause; readonly changes: SnapshotChanges }): string {
  const by = cause.actor === null ? '' : ` by ${cause.actor}`;
  switch (cause.kind) {
    case 'start':
      return 'start of the server';
    case 'watch':
      return cause.files.length === 0 ? 'a saved file' : `${isOnlyRemoval(changes) ? 'deleted' : 'saved'} ${filesInWords(cause.files)}`;
    case 'edit':
      return `edited ${filesInWords(cause.files)}${by}`;
    case 'reload':
      return `reload${by}${cause.files.length === 0 ? '' : `: ${filesInWords(cause.files)}`}`;
    case 'restart':
      return `restart${by}`;
    case 'disable':
      return `disabled${by}`;
    case 'enable':
      return `enabled${by}`;
    case 'rollback':
      return `rolled back${by}`;
    case 'pin':
      return `pinned${by}`;
    case 'unpin':
      return `unpinned${by}`;
    case 'keep_alive':
      return `idle setting changed${by}`;
    case 'crash':
      return 'a process that stopped';
    case 'recovery':
      return 'a recovery';
    case 'described':
      return 'an MCP server with other tools';
    case 'secret':
      return `secret changed${by}`;
    default:
      return cause.kind;
  }
}

export interface ChangeGroup {
  readonly kind: (typeof ORDER)[number];
  readonly ids: readonly string[];
}

const ORDER = ['failed', 'recovered', 'added', 'changed', 'removed'] as const;

/** Label of each kind of change, and the state with its color and icon. */
export const CHANGE_LOOKS = {
  failed: { state: 'failed', word: 'Failed' },
  recovered: { state: 'ready', word: 'Recovered' },
  added: { state: 'ready', word: 'Added' },
  changed: { state: 'loaded', word: 'Changed' },
  removed: { state: 'cancelled', word: 'Removed' },
} as const satisfies Record<ChangeGroup['kind'], { state: string; word: string }>;

/** Extensions changed by a version, failures first, each once: a failed or recovered one is not also "changed". */
export function groupsOf(changes: SnapshotChanges): readonly ChangeGroup[] {
  const seen = new Set<string>();
  const groups: ChangeGroup[] = [];
  for (const kind of ORDER) {
    const ids = changes[kind].filter((id) => !seen.has(id));
    for (const id of ids) seen.add(id);
    if (ids.length > 0) groups.push({ kind, ids });
  }
  return groups;
}

/** "1 failed, 2 changed"; "nothing changed" for none. */
export function changesInWords(changes: SnapshotChanges): string {
  const groups = groupsOf(changes);
  if (groups.length > 0) return groups.map((group) => `${group.ids.length} ${group.kind}`).join(', ');
  const tools = changes.tools_added.length + changes.tools_removed.length;
  return tools === 0 ? 'no extension changed' : `${tools} ${tools === 1 ? 'tool' : 'tools'} changed`;
}

function isOnlyRemoval(changes: SnapshotChanges): boolean {
  return ORDER.every((kind) => changes[kind].length > 0 === (kind === 'removed'));
}

function filesInWords(files: readonly string[]): string {
  const [first] = files;
  return files.length === 1 && first !== undefined ? first : `${first ?? ''} and ${files.length - 1} more`;
}
