import type { Extension } from '#lib/contract/extension.ts';
import type { ServerFeatures } from '#lib/contract/server-features.ts';
import type { SnapshotChanges, SnapshotMember } from '#lib/contract/snapshot.ts';
import type { Tool } from '#lib/contract/tool.ts';

/**
 * The immutable snapshot of extensions, tools and failures. The runtime of an extension is a type parameter, so this module
 * does not depend on processes.
 */
/** Location of an extension; absolute. */
export interface ExtensionPlace {
  readonly folder: string;
  /** Null when none or several were found. */
  readonly entryFile: string | null;
}

export interface SnapshotEntry<Running> {
  /** `process` is its state at the commit; readers replace it with the current state. */
  readonly extension: Extension;
  readonly place: ExtensionPlace;
  /** Tools owned by this extension, available or not. */
  readonly tools: readonly Tool[];
  /** Resources and prompts of an MCP server that serves. */
  readonly features: ServerFeatures | null;
  readonly running: Running | null;
}

/** Of one server, without URIs and names that an earlier server owns. */
export interface OwnedFeatures {
  readonly extension: string;
  readonly features: ServerFeatures;
}

export interface SnapshotTool<Running> {
  readonly tool: Tool;
  readonly entry: SnapshotEntry<Running>;
}

export interface Snapshot<Running> {
  readonly version: number;
  /** By id, in code-point order. */
  readonly entries: ReadonlyMap<string, SnapshotEntry<Running>>;
  /** By name, in code-point order. */
  readonly tools: ReadonlyMap<string, SnapshotTool<Running>>;
  /** By id, in code-point order. */
  readonly features: readonly OwnedFeatures[];
}

export function emptySnapshot<Running>(version: number): Snapshot<Running> {
  return { version, entries: new Map(), tools: new Map(), features: [] };
}

export function compareCodePoints(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** @param before the snapshot that it replaces: when only few entries differ, the rest need not be sorted again */
export function buildSnapshot<Running>(
  version: number,
  entries: readonly SnapshotEntry<Running>[],
  before: Snapshot<Running> = emptySnapshot(version),
): Snapshot<Running> {
  const changed = entries.filter((entry) => before.entries.get(entry.extension.id) !== entry);
  const replaced = entries.length === before.entries.size ? replaceEntries(version, changed, before) : null;
  if (replaced !== null) return replaced;
  const sorted = [...entries].sort((a, b) => compareCodePoints(a.extension.id, b.extension.id));
  const tools = sorted
    .flatMap((entry) => entry.tools.map((tool) => ({ tool, entry })))
    .sort((a, b) => compareCodePoints(a.tool.name, b.tool.name));
  const { features, warnings } = ownFeatures(sorted);
  return {
    version,
    entries: new Map(sorted.map((entry) => [entry.extension.id, withWarnings(entry, warnings.get(entry.extension.id) ?? [])])),
    tools: new Map(tools.map((item) => [item.tool.name, item])),
    features,
  };
}

/** Whether it has the same tools as the entry that it replaces; tools of MCP servers may share names with others. */
function hasSameTools<Running>({ extension, tools, features }: SnapshotEntry<Running>, { entries }: Snapshot<Running>): boolean {
  const former = entries.get(extension.id);
  if (former === undefined || features !== null || former.features !== null) return false;
  return tools.length === former.tools.length && tools.every(({ name }, place) => name === former.tools[place]?.name);
}

/** The previous snapshot with these entries replaced; null when it does not contain one of them, or its tools differ. */
export function replaceEntries<Running>(
  version: number,
  changed: readonly SnapshotEntry<Running>[],
  before: Snapshot<Running>,
): Snapshot<Running> | null {
  if (!changed.every((entry) => hasSameTools(entry, before))) return null;
  const entries = new Map(before.entries);
  const tools = new Map(before.tools);
  for (const entry of changed) {
    entries.set(entry.extension.id, entry);
    for (const tool of entry.tools) tools.set(tool.name, { tool, entry });
  }
  return { version, entries, tools, features: before.features };
}

function withWarnings<Running>(entry: SnapshotEntry<Running>, warnings: readonly string[]): SnapshotEntry<Running> {
  if (warnings.length === 0) return entry;
  return { ...entry, extension: { ...entry.extension, warnings: [...entry.extension.warnings, ...warnings] } };
}

/** Equal URIs, templates and prompt names belong to the first id in code-point order; the other extension gets a warning. */
function ownFeatures(entries: readonly SnapshotEntry<unknown>[]): {
  readonly features: readonly OwnedFeatures[];
  readonly warnings: ReadonlyMap<string, readonly string[]>;
} {
  const owners = { resource: new Map<string, string>(), template: new Map<string, string>(), prompt: new Map<string, string>() };
  const warnings = new Map<string, string[]>();
  const features = entries.flatMap(({ extension: { id }, features: all }): OwnedFeatures[] => {
    if (all === null) return [];
    const own = (kind: keyof typeof owners, name: string): boolean => {
      const owner = owners[kind].get(name) ?? id;
      owners[kind].set(name, owner);
      if (owner === id) return true;
      const words = `The ${kind} “${name.slice(0, SHOWN_CHARACTERS)}” belongs to the extension “${owner}”; agents get that one.`;
      warnings.set(id, [...(warnings.get(id) ?? []), words]);
      return false;
    };
    const resources = all.resources.filter(({ uri }) => own('resource', uri));
    const templates = all.resource_templates.filter(({ uriTemplate }) => own('template', uriTemplate));
    const prompts = all.prompts.filter(({ name }) => own('prompt', name));
    return [{ extension: id, features: { ...all, resources, resource_templates: templates, prompts } }];
  });
  return { features, warnings };
}

const SHOWN_CHARACTERS = 100;

/**
 * The identity of a snapshot: a new version is created only when it changes. Counts, times and process
 * states are excluded, because a failure that repeats is the same failure.
 */
export function snapshotIdentity<Running>(entries: Iterable<SnapshotEntry<Running>>): SnapshotIdentity {
  const parts = new Map<string, string>();
  for (const entry of entries) parts.set(entry.extension.id, identityOf(entry));
  return parts;
}

export function isSameIdentity(one: SnapshotIdentity, other: SnapshotIdentity): boolean {
  return one.size === other.size && [...one].every(([id, part]) => other.get(id) === part);
}

/** JSON by id. */
export type SnapshotIdentity = ReadonlyMap<string, string>;

/** Entries are immutable, and most of them are in many snapshots. */
const identities = new WeakMap<SnapshotEntry<unknown>, string>();

function identityOf(entry: SnapshotEntry<unknown>): string {
  const known = identities.get(entry);
  if (known !== undefined) return known;
  const { id, state, revision, serving_revision, pinned_revision, content_hash, failure, channels } = entry.extension;
  const identity = JSON.stringify([
    id,
    state,
    revision,
    serving_revision,
    pinned_revision,
    content_hash,
    failure?.fingerprint ?? null,
    entry.tools.map((tool) => [tool.name, tool.available]),
    ...(channels.length === 0 ? [] : [channels]),
  ]);
  identities.set(entry, identity);
  return identity;
}

/** The failures of a snapshot by extension, read from its identity. */
export function failuresOf(
  identity: SnapshotIdentity,
): ReadonlyMap<unknown, { readonly revision: unknown; readonly fingerprint: unknown }> {
  const entries = [...identity.values()].map((part): unknown => JSON.parse(part));
  return new Map(
    entries
      .filter(Array.isArray)
      .flatMap(([id, , revision, , , , fingerprint]: readonly unknown[]) =>
        fingerprint === null ? [] : [[id, { revision, fingerprint }]],
      ),
  );
}

export function snapshotMembers<Running>(entries: Iterable<SnapshotEntry<Running>>): SnapshotMember[] {
  return [...entries].map(memberOf);
}

const members = new WeakMap<SnapshotEntry<unknown>, SnapshotMember>();

function memberOf(entry: SnapshotEntry<unknown>): SnapshotMember {
  const known = members.get(entry);
  if (known !== undefined) return known;
  const { extension, tools } = entry;
  const member: SnapshotMember = {
    id: extension.id,
    state: extension.state,
    revision: extension.revision,
    serving_revision: extension.serving_revision,
    pinned_revision: extension.pinned_revision,
    tools: tools.map((tool) => tool.name),
    ...(extension.channels.length === 0 ? {} : { channels: extension.channels }),
  };
  members.set(entry, member);
  return member;
}

const BROKEN: ReadonlySet<Extension['state']> = new Set(['degraded', 'failed']);

/** The difference between two versions, even when the older one predates a restart. */
export function snapshotChanges(before: readonly SnapshotMember[], after: readonly SnapshotMember[]): SnapshotChanges {
  const old = new Map(before.map((member) => [member.id, member]));
  const now = new Set(after.map((member) => member.id));
  // The same object means the same state; a tool has one owner, so the tools of these entries need no comparison.
  const others = after.filter((member) => old.get(member.id) !== member);
  const present = new Set(after);
  const oldTools = new Set(before.flatMap((member) => (present.has(member) ? [] : member.tools)));
  const nowTools = new Set(others.flatMap((member) => member.tools));
  const isBroken = (member: SnapshotMember | undefined): boolean => member !== undefined && BROKEN.has(member.state);
  const ids = (keep: (member: SnapshotMember, earlier: SnapshotMember | undefined) => boolean): string[] =>
    others.filter((member) => keep(member, old.get(member.id))).map((member) => member.id);
  return {
    added: ids((_, earlier) => earlier === undefined),
    changed: ids((member, earlier) => earlier !== undefined && JSON.stringify(member) !== JSON.stringify(earlier)),
    removed: before.filter((member) => !now.has(member.id)).map((member) => member.id),
    failed: ids((member, earlier) => isBroken(member) && (!isBroken(earlier) || earlier?.revision !== member.revision)),
    recovered: ids((member, earlier) => member.state === 'ready' && isBroken(earlier)),
    tools_added: [...nowTools].filter((name) => !oldTools.has(name)),
    tools_removed: [...oldTools].filter((name) => !nowTools.has(name)),
  };
}

/**
 * Returns the previous list when the new one has the same elements in the same order, so that values derived from it stay valid.
 * These lists are never mutated.
 */
export function createUnchangedList<Element>(): (next: Element[]) => Element[] {
  let before: Element[] = [];
  return (next) => {
    if (next.length !== before.length || next.some((element, place) => element !== before[place])) before = next;
    return before;
  };
}

/** Holds the current snapshot. One writer (the loader), many readers; a reader uses the snapshot it read until it is done. */
export interface Registry<Running> {
  current(): Snapshot<Running>;
  replace(next: Snapshot<Running>): void;
  /**
   * Called after each replacement, even when the version is the same; must not throw. Returns the unsubscribe function.
   */
  follow(listener: () => void): () => void;
}

export function createRegistry<Running>(version: number): Registry<Running> {
  let snapshot = emptySnapshot<Running>(version);
  const followers = new Set<() => void>();
  return {
    current: () => snapshot,
    replace(next) {
      if (next.version < snapshot.version) throw new Error(`snapshot ${next.version} is older than ${snapshot.version}`);
      snapshot = next;
      for (const follow of followers) follow();
    },
    follow(listener) {
      followers.add(listener);
      return () => void followers.delete(listener);
    },
  };
}
