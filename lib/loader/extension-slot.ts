import type { Extension, ExtensionKind, ExtensionRuntime } from '#lib/contract/extension.ts';
import type { Failure } from '#lib/contract/failure.ts';
import type { Tool } from '#lib/contract/tool.ts';
import type { ExtensionPlace, SnapshotEntry } from '#lib/registry/snapshot.ts';
import type { ExtensionDescription, ProcessState, RunningExtension, ToolDescription } from '#lib/runtime/runtime.ts';
import type { ExtensionRow, RevisionRow, Store } from '#lib/store/store.ts';
import { type BuildInput, type Candidate, readBuildRecord, readDescription } from './build.ts';
import { relativeFile } from './failure-occurrence.ts';
import { type Loaded, NOTHING_LOADED } from './loaded-files.ts';
import type { LoaderOptions, LoaderState } from './loader-state.ts';

/** One revision that can answer calls. */
export interface Served {
  readonly revision: number;
  readonly contentHash: string;
  readonly description: ExtensionDescription;
  readonly running: RunningExtension;
}

/** The newest source that was tried, and its result. */
export interface Tried {
  readonly revision: number | null;
  readonly contentHash: string | null;
  readonly failure: Failure | null;
  /** Identity of a failure found by the scan; it has no source to compare. */
  readonly scanFailure: string | null;
  /** The owner of one of its names, when that is the only obstacle; it is retried when the owner changes. */
  readonly awaitsOwner: string | null;
  /** Includes files loaded at run time. */
  readonly inputs: readonly BuildInput[];
  readonly missing: readonly string[];
  readonly loaded: Loaded;
}

interface RolledBack {
  readonly to: number;
  readonly from: number;
}

/** A running load. */
export interface Loading {
  readonly controller: AbortController;
  /** False while it is queued: it has read no file yet. */
  hasBegun: boolean;
  /** Known once it is built; a change of one of these aborts the load. */
  inputs: readonly BuildInput[] | null;
  /** A file changed before `inputs` were known: scan again afterwards. */
  isDirty: boolean;
  /** Resolves when the load is committed or replaced. */
  readonly done: Promise<void>;
  readonly finish: () => void;
}

/**
 * The loader's state of one id. Mutable, and changed only by the loader; other modules see only its snapshot entry.
 * `generation` increases with every load: results of an older generation are dropped.
 */
export interface Slot extends ExtensionPlace {
  readonly id: string;
  kind: ExtensionKind;
  runtime: ExtensionRuntime;
  folder: string;
  entryFile: string | null;
  candidate: Candidate | null;
  readonly isExcluded: boolean;
  /** Disabled by its own file: listed only; a new slot replaces it when the file enables it. */
  readonly isLeftOut: boolean;
  disabled: boolean;
  pinnedRevision: number | null;
  /** Chosen by a person; null: automatic. */
  keepAlive: boolean | null;
  serving: Served | null;
  /** The revision served last: its names stay owned while nothing serves. */
  owned: { readonly revision: number; readonly contentHash: string; readonly description: ExtensionDescription } | null;
  newest: Tried | null;
  /** The serving revision stopped: crash loop, or a failed start after an earlier load. */
  breakdown: Failure | null;
  generation: number;
  /**
   * The result of its last load was dropped, because it could not be stored or was outdated: the next scan loads it
   * again.
   */
  isUnstored: boolean;
  /** Its environment changed: the next scan loads it again, although its source is the same. */
  isOutdated: boolean;
  /** Names of the secrets that its newest source uses. */
  secrets: readonly string[];
  loading: Loading | null;
  /** The real path of the entry at the last load: a swapped link has another target, with its own packages and data. */
  realEntry: string | null;
  loadedAt: string | null;
  /** From `performance.now()`; when a scan first did not find it. */
  vanishedAt: number | null;
  /** The target of a rollback, and the newest revision at that time; loading a different source clears it. */
  rolledBack: RolledBack | null;
}

interface EntryOptions {
  readonly extensionsDir: string;
  readonly excludedTools: ReadonlySet<string>;
  permissionsOf(id: string): readonly string[];
}

export function ownedTools(slot: Slot, excludedTools: ReadonlySet<string>): readonly ToolDescription[] {
  const description = slot.serving?.description ?? slot.owned?.description;
  return description === undefined ? [] : ownToolsOf(description, excludedTools);
}

/** Tools that are not excluded; cached as one list, because each load reads those of all extensions. */
export function ownToolsOf(description: ExtensionDescription, excludedTools: ReadonlySet<string>): readonly ToolDescription[] {
  const known = own.get(description);
  if (known?.excludedTools === excludedTools) return known.tools;
  const tools = description.tools.filter((tool) => !excludedTools.has(tool.name.toLowerCase()));
  own.set(description, { excludedTools, tools });
  return tools;
}

const own = new WeakMap<
  ExtensionDescription,
  { readonly excludedTools: ReadonlySet<string>; readonly tools: readonly ToolDescription[] }
>();

/** The entry, or the folder if there is none. */
export function mainFile({ folder, entryFile }: ExtensionPlace): string {
  return entryFile ?? folder;
}

/** `path` in the API, relative to the extensions folder. */
export function pathOf(place: ExtensionPlace, extensionsDir: string): string {
  return relativeFile(extensionsDir, mainFile(place));
}

function channelName(id: string): string {
  return id.slice(id.indexOf('/') + 1);
}

/** Derived from the slot; `loading` until something was tried. */
export function slotState(slot: Slot): Extension['state'] {
  if (slot.isExcluded) return 'excluded';
  if (slot.isLeftOut || slot.disabled) return 'disabled';
  if (slot.breakdown !== null) return 'failed';
  if (slot.newest === null) return 'loading';
  if (slot.newest.failure === null) return 'ready';
  return slot.serving === null ? 'failed' : 'degraded';
}

const NO_PROCESS: Extension['process'] = { state: 'none', pid: null, restarts: 0, retry_at: null, kept: null };

const processes = new WeakMap<ProcessState, Extension['process']>();

/** The same object until it changes: a list reads a thousand of them. */
export function processOf(running: RunningExtension | null): Extension['process'] {
  if (running === null) return NO_PROCESS;
  const current = running.process();
  const known = processes.get(current);
  if (known !== undefined) return known;
  const { state, pid, restarts, retryAt, kept } = current;
  const shown = { state, pid, restarts, kept, retry_at: retryAt === null ? null : new Date(retryAt).toISOString() };
  processes.set(current, shown);
  return shown;
}

/** Only Node supports permissions; other processes can do whatever the server's user can. */
const UNLIMITED = ['net', 'read', 'write', 'run', 'addons', 'workers'];

/** An entry, and the slot state that it was created from. */
const made = new WeakMap<Slot, { readonly from: Readonly<Omit<Slot, 'loading'>>; readonly entry: SnapshotEntry<RunningExtension> }>();

/** The same object while the slot is unchanged, so that the cost of a snapshot depends on the changes. */
export function entryOf(slot: Slot, options: EntryOptions): SnapshotEntry<RunningExtension> {
  const known = made.get(slot);
  if (known !== undefined && isSameFor(known.from, slot)) return known.entry;
  const entry = makeEntry(slot, options);
  const { loading: _, ...from } = slot;
  made.set(slot, { from, entry });
  return entry;
}

/** Equal in everything that an entry shows. */
function isSameFor(one: Readonly<Omit<Slot, 'loading'>>, other: Readonly<Slot>): boolean {
  return (
    one.newest === other.newest &&
    one.serving === other.serving &&
    one.owned === other.owned &&
    one.breakdown === other.breakdown &&
    one.loadedAt === other.loadedAt &&
    one.disabled === other.disabled &&
    one.pinnedRevision === other.pinnedRevision &&
    one.keepAlive === other.keepAlive &&
    one.kind === other.kind &&
    one.runtime === other.runtime &&
    one.folder === other.folder &&
    one.entryFile === other.entryFile
  );
}

function makeEntry(slot: Slot, options: EntryOptions): SnapshotEntry<RunningExtension> {
  const state = slotState(slot);
  const running = slot.disabled || slot.isExcluded ? null : (slot.serving?.running ?? null);
  const shown = slot.serving ?? slot.owned;
  const descriptions = slot.isExcluded ? [] : ownedTools(slot, options.excludedTools);
  const failure = state === 'failed' || state === 'degraded' ? (slot.breakdown ?? slot.newest?.failure ?? null) : null;
  const unavailable = unavailableReason(slot, state);
  const extension: Extension = {
    id: slot.id,
    kind: slot.kind,
    runtime: slot.runtime,
    state,
    ...(state === 'disabled' ? { disabled_by: slot.isLeftOut ? ('file' as const) : ('person' as const) } : {}),
    revision: slot.newest?.revision ?? slot.owned?.revision ?? null,
    // A revision in a crash loop answers no calls.
    serving_revision: running === null || slot.breakdown !== null ? null : (slot.serving?.revision ?? null),
    pinned_revision: slot.pinnedRevision,
    ...(slot.keepAlive === null ? {} : { keep_alive: slot.keepAlive }),
    content_hash: slot.newest?.contentHash ?? slot.owned?.contentHash ?? null,
    path: pathOf(slot, options.extensionsDir),
    name: shown?.description.name || slot.id,
    ...(shown?.description.icons === undefined ? {} : { icons: [...shown.description.icons] }),
    description: slot.isLeftOut ? leftOutInWords(slot, options.extensionsDir) : (shown?.description.description ?? ''),
    instructions: shown?.description.instructions ?? '',
    tools: descriptions.map((tool) => tool.name),
    channels: running?.channel == null ? [] : [channelName(slot.id)],
    failure,
    warnings: [
      ...(shown?.description.warnings ?? []),
      ...descriptions.flatMap((tool) => tool.warnings.map((text) => `${tool.name}: ${text}`)),
    ],
    loaded_at: slot.loadedAt,
    permissions: slot.runtime === 'node' ? [...options.permissionsOf(slot.id)] : UNLIMITED,
    process: processOf(running),
  };
  return {
    extension,
    place: { folder: slot.folder, entryFile: slot.entryFile },
    running,
    tools: descriptions.map((tool) => toolOf(slot, shown?.revision ?? 0, tool, unavailable)),
    features: unavailable === null && running !== null ? (slot.serving?.description.features ?? null) : null,
  };
}

/**
 * Shown for a slot that is in no snapshot yet. Its load may be done and being stored; it can only be called once the
 * snapshot contains it, so its state is loading.
 */
export function entryBeforeCommit(slot: Slot, options: EntryOptions): SnapshotEntry<RunningExtension> {
  const entry = entryOf(slot, options);
  if (slot.isExcluded || slot.isLeftOut || slot.disabled) return entry;
  const { extension } = entry;
  const loading: Extension = {
    ...extension,
    state: 'loading',
    serving_revision: null,
    tools: [],
    channels: [],
    failure: null,
    loaded_at: null,
    process: NO_PROCESS,
  };
  return { ...entry, extension: loading, running: null, tools: [], features: null };
}

function toolOf({ id, runtime }: Slot, revision: number, tool: ToolDescription, unavailable: string | null): Tool {
  return {
    name: tool.name,
    label: tool.label,
    extension: id,
    runtime,
    revision,
    description: tool.description,
    parameters: tool.parameters,
    output_schema: tool.outputSchema,
    annotations: tool.annotations,
    ...(tool.meta === undefined ? {} : { meta: tool.meta }),
    ...(tool.icons === undefined ? {} : { icons: [...tool.icons] }),
    ...(tool.isTask === undefined ? {} : { is_task: tool.isTask }),
    ...(tool.remoteName === undefined ? {} : { remote_name: tool.remoteName }),
    timeout_ms: tool.timeoutMs,
    examples: [...tool.examples],
    available: unavailable === null,
    unavailable_reason: unavailable,
    warnings: [...tool.warnings],
  };
}

function unavailableReason(slot: Slot, state: Extension['state']): string | null {
  if (state === 'disabled') return `${slot.id} is disabled. Enable it to use this tool.`;
  if (slot.breakdown !== null) return asSentence(`${slot.id} has stopped: ${slot.breakdown.message}`);
  if (slot.serving !== null) return null;
  if (state === 'loading') return `${slot.id} is still being loaded.`;
  return asSentence(`${slot.id} failed to load: ${slot.newest?.failure?.message ?? 'it has no runnable revision'}`);
}

export function leftOutInWords(slot: Slot, extensionsDir: string): string {
  return `Its entry in ${pathOf(slot, extensionsDir)} says "disabled": true or "enabled": false, so it is not started. Remove the line to use it.`;
}

/** More text may follow it. */
function asSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** The scan's result for one id, loadable or not. */
export type Located = Pick<Slot, 'id' | 'kind' | 'runtime' | 'folder' | 'entryFile'>;

/** The stored state of an extension from the last run of the host. */
export interface StoredSlot {
  readonly row: ExtensionRow | null;
  readonly served: RevisionRow | null;
  readonly newest: RevisionRow | null;
}

export async function readStoredSlot(store: Pick<Store, 'extensions' | 'revisions'>, id: string): Promise<StoredSlot> {
  const row = await store.extensions.get(id);
  if (row === null) return { row, served: null, newest: null };
  const revision = async (number: number | null): Promise<RevisionRow | null> => (number === null ? null : store.revisions.get(id, number));
  const newest = await revision(row.revision);
  return { row, served: row.servingRevision === row.revision ? newest : await revision(row.servingRevision), newest };
}

/** A slot as the last run of the host left it: user settings and owned names, so that a restart changes no owner. */
export function createSlot(
  { id, kind, runtime, folder, entryFile }: Located,
  { row, served, newest }: StoredSlot,
  options: Pick<LoaderOptions, 'excludedExtensions'>,
): Slot {
  const description = readDescription(served?.description ?? null);
  return {
    id,
    kind,
    runtime,
    folder,
    entryFile,
    candidate: null,
    isExcluded: options.excludedExtensions.has(id.toLowerCase()),
    isLeftOut: false,
    disabled: row?.disabled ?? false,
    pinnedRevision: row?.pinnedRevision ?? null,
    keepAlive: row?.keepAlive ?? null,
    serving: null,
    owned: served !== null && description !== null ? { revision: served.revision, contentHash: served.contentHash, description } : null,
    newest: row?.disabled === true && newest !== null ? triedBefore(newest) : null,
    breakdown: null,
    generation: 0,
    isUnstored: false,
    isOutdated: false,
    secrets: readBuildRecord(newest?.build ?? null)?.secrets ?? [],
    loading: null,
    realEntry: null,
    loadedAt: row?.loadedAt ?? null,
    vanishedAt: null,
    rolledBack: row?.rolledBackFrom == null || row.servingRevision === null ? null : { to: row.servingRevision, from: row.rolledBackFrom },
  };
}

/** Its names are released, as if it did not exist. */
function createLeftOutSlot(candidate: Candidate, stored: StoredSlot, options: Pick<LoaderOptions, 'excludedExtensions'>): Slot {
  return { ...createSlot(candidate, stored, options), isLeftOut: true, owned: null, newest: null, loadedAt: null };
}

/** A disabled extension is not tried at a start; its last attempt stays visible. */
function triedBefore({ revision, contentHash }: RevisionRow): Tried {
  return { revision, contentHash, failure: null, scanFailure: null, awaitsOwner: null, inputs: [], missing: [], loaded: NOTHING_LOADED };
}

interface LeftOut {
  /** Entries shown in place of slots to be withdrawn, by id. */
  readonly standIns: ReadonlyMap<string, Slot>;
  /** Whether a new entry is listed. */
  readonly hasMoved: boolean;
}

/** Creates slots for extensions disabled by their own file, so that they are shown. */
export function showLeftOut(state: LoaderState, candidates: readonly Candidate[], storedOf: (id: string) => StoredSlot): LeftOut {
  const standIns = new Map<string, Slot>();
  let hasMoved = false;
  for (const candidate of candidates) {
    const known = state.slots.get(candidate.id);
    if (known?.isLeftOut === true) {
      if (known.folder !== candidate.folder || known.entryFile !== candidate.entryFile) state.unpublished.add(known);
      known.folder = candidate.folder;
      known.entryFile = candidate.entryFile;
      continue;
    }
    const slot = createLeftOutSlot(candidate, storedOf(candidate.id), state.options);
    if (known !== undefined) standIns.set(slot.id, slot);
    else {
      state.slots.set(slot.id, slot);
      hasMoved = true;
    }
  }
  return { standIns, hasMoved };
}
