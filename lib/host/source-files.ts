import { createHash, randomUUID } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { constants } from 'node:fs';
import { lstat, open, readdir, rm, stat, realpath, mkdir, readFile, rename } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { LIMITS } from '#lib/contract/limits.ts';
import type { NewExtension, NewExtensionMade, SourceChange, SourceFile, SourceTree, SourceWrite } from '#lib/contract/source-file.ts';
import type { Result } from '#lib/contract/result.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { SnapshotCause } from '#lib/contract/snapshot.ts';
import { permissionsFor } from '#lib/instances/folder-files.ts';
import { codeOf } from '#lib/loader/folder-items.ts';
import { encodingFault } from '#lib/loader/source-encoding.ts';
import type { Actor } from './host.ts';
import { filesOfNew, idOfNew, placesOfNew, refusalOfNewName } from './new-extension.ts';

/**
 * Reads and writes files of the extensions folder. What can go wrong:
 * - a path leads out of the folder: `findSource`;
 * - somebody else changed the file meanwhile: refused by its hash, so no unseen change is overwritten;
 * - a write is interrupted: files are written to temporary files and renamed;
 * - two concurrent writes of one file: they run sequentially.
 */
export interface SourceFiles {
  tree(): Promise<Result<SourceTree>>;
  read(file: string): Promise<Result<SourceFile>>;
  /** Resolves once the resulting load succeeded or failed. */
  write(file: string, change: SourceWrite, actor: Actor): Promise<Result<SourceChange>>;
  /** Creates an extension from a template; refused when its name exists. */
  begin(wanted: NewExtension, actor: Actor): Promise<Result<NewExtensionMade>>;
  remove(file: string, expectedHash: string, actor: Actor): Promise<Result<SourceChange>>;
  /** All of them or none, as one edit. Resolves with the changed extensions. */
  writeAll(changes: SourceChanges, actor: Actor): Promise<Result<readonly string[]>>;
}

/** Without a text it is removed; without a hash it must be new. */
export type SourceChanges = readonly (Omit<SourceWrite, 'text'> & { readonly path: string; readonly text: string | null })[];

export interface SourceFilesOptions {
  /** Absolute. */
  readonly extensionsDir: string;
  readonly readOnly: boolean;
  /** Runs the write, loads its changes unless it refuses, and resolves with the changed extensions. */
  save(write: () => Promise<Result<null>>, cause: SnapshotCause): Promise<Result<readonly string[]>>;
  /** Called before a write: these contents (null: removed) are the actor's. */
  expect(saves: readonly { readonly path: string; readonly hash: string | null }[], actor: string | null): void;
}

const FILES_MOST = 2_000;
const DEPTH_MOST = 12;

export function createSourceFiles({ extensionsDir, readOnly, save, expect }: SourceFilesOptions): SourceFiles {
  let writes: Promise<unknown> = Promise.resolve();

  function runSequentially<Value>(work: () => Promise<Value>): Promise<Value> {
    const turn = writes.then(work);
    writes = turn.catch(() => undefined);
    return turn;
  }

  async function saveAs(
    actor: Actor,
    files: readonly string[],
    write: () => Promise<Result<null> | void>,
  ): Promise<Result<readonly string[]>> {
    return save(async () => (await write()) ?? ok(null), { kind: 'edit', actor: actor.name, files: [...files] });
  }

  /** @param hash null: it is removed */
  async function saveOne(
    actor: Actor,
    file: string,
    hash: string | null,
    write: () => Promise<Result<null> | void>,
  ): Promise<Result<SourceChange>> {
    expect([{ path: file, hash }], actor.name);
    const changed = await saveAs(actor, [file], write);
    return changed.ok ? ok({ path: file, hash, changed: [...changed.value] }) : changed;
  }

  /** Null if the file is as expected. Checked again right before a write, which may be queued. */
  async function refuseUnexpected(file: string, expected: string | null, done?: 'removed'): Promise<Result<never> | null> {
    const place = await findSource(extensionsDir, file);
    if (!place.ok) return place;
    const found = place.value.exists ? await readSource(extensionsDir, file) : null;
    if (found !== null && !found.ok) return found;
    return (found?.value.hash ?? null) === expected ? null : refuseChanged(file, found !== null, expected, done);
  }

  return {
    async tree() {
      const files: { path: string; size: number }[] = [];
      const truncated = !(await collect(extensionsDir, '', 1, files));
      return ok({ files: files.toSorted((a, b) => (a.path < b.path ? -1 : 1)), truncated, read_only: readOnly });
    },

    read: (file) => readSource(extensionsDir, file),

    write: (file, { text, expected_hash: expected }, actor) =>
      runSequentially(async () => {
        if (readOnly) return refuseReadOnly();
        const bytes = Buffer.from(text, 'utf8');
        if (bytes.length > LIMITS.sourceFileBytes) return refuseTooLarge(file);
        const place = await findSource(extensionsDir, file);
        if (!place.ok) return place;
        const refusal = await refuseUnexpected(file, expected);
        if (refusal !== null) return refusal;
        return saveOne(
          actor,
          file,
          hashOf(bytes),
          async () => (await refuseUnexpected(file, expected)) ?? writeBeside(place.value.absolute, bytes),
        );
      }),

    begin: (wanted, actor) =>
      runSequentially(async () => {
        if (readOnly) return refuseReadOnly();
        const { kind, name } = wanted;
        const refusal = refusalOfNewName(kind, name);
        if (refusal !== null) return refuse('body_fields_invalid', refusal);
        for (const place of placesOfNew(kind, name))
          if ((await lstat(path.join(extensionsDir, place)).catch(() => null)) !== null)
            return refuse('state_conflict', `${place} already exists. Choose another name, or remove it first.`);
        const files = filesOfNew(wanted);
        expect(
          Object.entries(files).map(([file, text]) => ({ path: file, hash: hashOf(Buffer.from(text, 'utf8')) })),
          actor.name,
        );
        // The file that imports the others comes last, so that nothing is loaded in part.
        const written = await saveAs(actor, Object.keys(files), async () => {
          for (const [file, text] of Object.entries(files)) {
            const place = await findSource(extensionsDir, file);
            if (!place.ok) return place;
            await writeBeside(place.value.absolute, Buffer.from(text, 'utf8'));
          }
        });
        if (!written.ok) return written;
        return ok({ id: idOfNew(kind, name), files: Object.keys(files) });
      }),

    remove: (file, expectedHash, actor) =>
      runSequentially(async () => {
        if (readOnly) return refuseReadOnly();
        const before = await readSource(extensionsDir, file);
        if (!before.ok) return before;
        if (before.value.hash !== expectedHash) return refuseChanged(file, true, expectedHash, 'removed');
        const place = await findSource(extensionsDir, file);
        if (!place.ok) return place;
        return saveOne(actor, file, null, async () => (await refuseUnexpected(file, expectedHash, 'removed')) ?? rm(place.value.absolute));
      }),

    writeAll: (changes, actor) =>
      runSequentially(async () => {
        if (readOnly) return refuseReadOnly();
        const steps: SourceStep[] = [];
        for (const { path: file, text, expected_hash: expected } of changes) {
          const after = text === null ? null : Buffer.from(text, 'utf8');
          if (after !== null && after.length > LIMITS.sourceFileBytes) return refuseTooLarge(file);
          const place = await findSource(extensionsDir, file);
          if (!place.ok) return place;
          const refusal = await refuseUnexpected(file, expected);
          if (refusal !== null) return refusal;
          steps.push({ absolute: place.value.absolute, after });
        }
        const saves = changes.map(({ path: file, text }) => ({
          path: file,
          hash: text === null ? null : hashOf(Buffer.from(text, 'utf8')),
        }));
        expect(saves, actor.name);
        return saveAs(
          actor,
          changes.map((change) => change.path),
          async () => {
            for (const { path: file, expected_hash: expected } of changes) {
              const refusal = await refuseUnexpected(file, expected);
              if (refusal !== null) return refusal;
            }
            await applySteps(steps);
            return ok(null);
          },
        );
      }),
  };
}

/** False when the limit is exceeded. */
async function collect(folder: string, below: string, depth: number, files: { path: string; size: number }[]): Promise<boolean> {
  if (depth > DEPTH_MOST) return false;
  const entries: Dirent[] = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (isHidden(entry.name)) continue;
    if (files.length >= FILES_MOST) return false;
    const at = path.join(folder, entry.name);
    const name = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) {
      if (!(await collect(at, name, depth + 1, files))) return false;
    } else if (entry.isFile()) {
      const facts = await stat(at).catch(() => null);
      if (facts !== null) files.push({ path: name, size: facts.size });
    }
  }
  return true;
}

async function readSource(extensionsDir: string, file: string): Promise<Result<SourceFile>> {
  const place = await findSource(extensionsDir, file);
  if (!place.ok) return place;
  if (!place.value.exists) return refuseMissing(file);
  let handle: FileHandle;
  try {
    handle = await open(place.value.absolute, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return refuseMissing(file);
    return refuse('source_unreadable', `${file} cannot be read (${code}). Give the server's user permission to read it.`);
  }
  try {
    const facts = await handle.stat();
    if (facts.size > LIMITS.sourceFileBytes) return refuseTooLarge(file);
    const bytes = await handle.readFile();
    const fault = encodingFault(file, bytes);
    if (fault !== null) return refuse('source_not_text', `${fault.message} It cannot be shown or edited here. ${fault.hint}`);
    if (bytes.includes(0)) return refuse('source_not_text', `${file} is not text: it has a byte 0. It cannot be shown or edited here.`);
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
    return ok({ path: file, text, hash: hashOf(bytes), modified_at: facts.mtime.toISOString() });
  } finally {
    await handle.close();
  }
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function refuseReadOnly(): Result<never> {
  return refuse('source_read_only', 'READ_ONLY_EXTENSIONS is set: extensions cannot be edited here. Change them in their repository.');
}

function refuseMissing(file: string): Result<never> {
  return refuse('source_not_found', `File ${file} not found in the extensions folder.`);
}

function refuseTooLarge(file: string): Result<never> {
  return refuse('source_too_large', `${file} is larger than ${LIMITS.sourceFileBytes / 1_024} KiB, the limit for editing.`);
}

function refuseChanged(file: string, exists: boolean, expected: string | null, done: 'saved' | 'removed' = 'saved'): Result<never> {
  const what = !exists
    ? 'it no longer exists'
    : expected === null
      ? 'there is a file of this name already'
      : 'it was changed since it was read';
  return refuse(
    'source_changed',
    `${file} was not ${done}: ${what}. ${done === 'removed' ? 'Read it again before you remove it.' : 'Read it again, and decide which of the two to keep.'}`,
  );
}

/**
 * Ways out of the extensions folder, and how each is blocked: `..`, absolute paths, backslashes and NUL are refused by
 * their text; symbolic links, in the file's path at any level, are refused when found. Files that begin with a dot
 * (`.env` contains secrets) and third-party folders (`node_modules`, `__pycache__`) are treated as missing.
 */
interface SourcePlace {
  readonly absolute: string;
  readonly exists: boolean;
}

const LENGTH_MOST = 400;
const NAME_MOST = 200;
const FOREIGN = new Set(['node_modules', '__pycache__']);
// oxlint-disable-next-line no-control-regex -- control characters are matched on purpose
const UNWRITABLE = /[\u0000-\u001f\u007f\\]/;

function isHidden(name: string): boolean {
  return name.startsWith('.') || FOREIGN.has(name);
}

/** @param extensionsDir absolute; may itself be a symbolic link */
async function findSource(extensionsDir: string, given: string): Promise<Result<SourcePlace>> {
  const segments = given.split('/');
  const fault = faultOf(given, segments);
  if (fault !== null)
    return refuse(
      'source_path_invalid',
      `“${given.slice(0, 100)}” is not a valid source path: ${fault}. Write names separated by “/”, relative to the extensions folder, such as weather/extension.ts.`,
    );
  let folder = await realpath(extensionsDir);
  for (const name of segments.slice(0, -1)) {
    folder = path.join(folder, name);
    const found = await lstat(folder).catch(() => null);
    if (found === null) return ok({ absolute: path.join(await realpath(extensionsDir), ...segments), exists: false });
    if (!found.isDirectory()) return refuseLink(given);
  }
  const absolute = path.join(folder, segments.at(-1) ?? '');
  const found = await lstat(absolute).catch(() => null);
  if (found !== null && !found.isFile()) return refuseLink(given);
  return ok({ absolute, exists: found !== null });
}

function faultOf(given: string, segments: readonly string[]): string | null {
  if (given === '') return 'it is empty';
  if (given.length > LENGTH_MOST) return `it has more than ${LENGTH_MOST} characters`;
  if (given.includes('\\')) return 'it has a backslash';
  if (UNWRITABLE.test(given)) return 'it has a control character';
  if (given.startsWith('/')) return 'it is absolute';
  for (const name of segments) {
    if (name === '') return 'a name in it is empty';
    if (name === '..') return '“..” leads out of a folder';
    if (name.trim() !== name) return `the name “${name.slice(0, 100)}” begins or ends with a blank`;
    if (name.length > NAME_MOST) return `a name in it has more than ${NAME_MOST} characters`;
    if (name.startsWith('.')) return `the name “${name}” begins with a dot, so it is hidden`;
    if (isHidden(name)) return `files in ${name} are not extension source`;
  }
  return null;
}

function refuseLink(given: string): Result<never> {
  return refuse(
    'source_path_invalid',
    `“${given.slice(0, 100)}” contains something other than a plain file or folder. Links are not followed; edit the target instead.`,
  );
}

/**
 * Writes files so that readers never see half of one, or only some of several for long. What can go wrong: the disk is
 * full or a folder is read-only. All texts are on disk before the first rename, and when one rename fails, the earlier
 * ones are undone.
 */
interface SourceStep {
  readonly absolute: string;
  /** Null: it is removed. */
  readonly after: Buffer | null;
}

async function writeBeside(absolute: string, bytes: Buffer): Promise<void> {
  const beside = await prepare(absolute, bytes);
  try {
    await rename(beside, absolute);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}

/** All or none. */
async function applySteps(steps: readonly SourceStep[]): Promise<void> {
  const prepared: { readonly step: SourceStep; readonly beside: string | null; readonly before: Buffer | null }[] = [];
  let done = 0;
  try {
    for (const step of steps) {
      const before = await readFile(step.absolute).catch(() => null);
      const beside = step.after === null ? null : await prepare(step.absolute, step.after);
      prepared.push({ step, beside, before });
    }
    for (const { step, beside } of prepared) {
      if (beside === null) await rm(step.absolute);
      else await rename(beside, step.absolute);
      done += 1;
    }
  } catch (error) {
    for (const { step, before } of prepared.slice(0, done)) {
      if (before === null) await rm(step.absolute, { force: true });
      else await writeBeside(step.absolute, before);
    }
    for (const { beside } of prepared.slice(done)) if (beside !== null) await rm(beside, { force: true });
    throw error;
  }
}

/** @returns the name of the temporary file beside it */
async function prepare(absolute: string, bytes: Buffer): Promise<string> {
  await mkdir(path.dirname(absolute), { recursive: true });
  const beside = path.join(path.dirname(absolute), `.${randomUUID()}.tmp`);
  const { mode, isNew } = await permissionsFor(absolute, bytes, 0o644);
  try {
    const handle = await open(beside, 'wx', mode);
    try {
      await handle.writeFile(bytes);
      // The umask may have removed permissions at creation.
      if (!isNew) await handle.chmod(mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
    return beside;
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}
