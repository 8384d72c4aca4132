import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Builder, BuildInput, BuildOutcome, Candidate } from './build.ts';
import { createEarlyBuild, type EarlyBuildState } from './early-build.ts';
import { readFileFacts } from './loaded-files.ts';
import { createScanner } from './scanner.ts';

let extensionsDir: string;
let built: string[];
let expected: string[];
let prepared: (readonly string[])[];
let isBroken: boolean;

const runtimes: EarlyBuildState['options']['runtimes'] = [
  { kind: 'node', prepare: (folders) => prepared.push(folders), expect: (artifact) => expected.push(artifact.extension) },
];

/** Reads the entry and reports which files would change the build, as the real one does. */
const builder: Builder = {
  async build(candidate) {
    built.push(candidate.id);
    if (isBroken) throw new Error('The bundler is gone.');
    return outcomeOf(candidate, await factsOf(candidate.entryFile));
  },
  isOwn: () => true,
  close: async () => undefined,
};

beforeEach(async () => {
  extensionsDir = await mkdtemp(path.join(tmpdir(), 'switchboard-early-'));
  built = [];
  expected = [];
  prepared = [];
  isBroken = false;
});
afterEach(() => rm(extensionsDir, { recursive: true }));

it('builds only changed extensions ahead, and returns each build once', async () => {
  const [one, two] = [await save('one'), await save('two')];
  const look = createEarlyBuild(await stateOf(one, two), [one.entryFile], false);
  expect((await look.scan()).candidates.map(({ id }) => id).sort()).toEqual(['one', 'two']);
  expect(await look.built(two)).toBeNull();
  expect(await look.built(one)).toMatchObject({ artifact: { extension: 'one' } });
  expect(await look.built(one)).toBeNull();
  expect(built).toEqual(['one']);
});

it('lets the runtime prewarm a process for source that is neither the last tried nor the serving one', async () => {
  const [changed, same, restored] = [await save('changed'), await save('same'), await save('restored')];
  const state = await stateOf(changed, same, restored);
  const slot = state.slots.get('restored');
  if (slot?.newest) {
    const serving = { contentHash: slot.newest.contentHash ?? '' };
    state.slots.set('restored', { ...slot, serving, newest: { ...slot.newest, contentHash: 'a failed one' } });
  }
  await writeFile(changed.entryFile, 'export const more = "more of it than before";');
  const look = createEarlyBuild(
    state,
    [changed, same, restored].map(({ entryFile }) => entryFile),
    false,
  );
  await Promise.all([changed, same, restored].map((candidate) => look.built(candidate)));
  expect(built.sort()).toEqual(['changed', 'restored', 'same']);
  expect(expected).toEqual(['changed']);
});

it('lets it do so during the build when all events are saves', async () => {
  const one = await save('one');
  isBroken = true;
  const look = createEarlyBuild(await stateOf(one), [one.entryFile], true);
  expect(expected).toEqual(['one']);
  expect(await look.built(one)).toBeNull();
  expect(expected).toEqual(['one']);
});

it('builds a new extension ahead, and the extensions that use a changed helper', async () => {
  const known = await save('known');
  const helper = path.join(extensionsDir, 'helper.ts');
  await writeFile(helper, 'export {}');
  const fresh = await save('fresh');
  const state = await stateOf(known);
  const slot = state.slots.get('known');
  if (slot?.newest) state.slots.set('known', { ...slot, newest: { ...slot.newest, inputs: [await factsOf(helper)] } });
  const look = createEarlyBuild(state, [helper, fresh.entryFile], false);
  await look.scan();
  expect(built.sort()).toEqual(['fresh', 'known']);
  expect(prepared.map((folders) => [...folders].sort())).toEqual([[fresh.folder, known.folder]]);
});

it('returns no build when a file was saved again, a missing one appeared, or the entry is another file', async () => {
  const again = await save('again');
  const appeared = await save('appeared');
  const moved = await save('moved');
  const look = createEarlyBuild(
    await stateOf(again, appeared, moved),
    [again, appeared, moved].map(({ entryFile }) => entryFile),
    false,
  );
  await look.scan();
  await writeFile(again.entryFile, 'export const more = 1;');
  await writeFile(path.join(appeared.folder, '.env'), 'A=1');
  expect(await look.built(again)).toBeNull();
  expect(await look.built(appeared)).toBeNull();
  expect(await look.built({ ...moved, entryFile: path.join(moved.folder, 'extension.js') })).toBeNull();
  expect(built.sort()).toEqual(['again', 'appeared', 'moved']);
});

it('returns no build for a failed build, a server or a disabled extension', async () => {
  const one = await save('one');
  const off = await save('off');
  const server: Candidate = { ...(await save('server')), runtime: 'mcp', kind: 'mcp' };
  const state = await stateOf(one, off, server);
  const slot = state.slots.get('off');
  if (slot) state.slots.set('off', { ...slot, disabled: true });
  isBroken = true;
  const look = createEarlyBuild(
    state,
    [one, off, server].map(({ entryFile }) => entryFile),
    false,
  );
  await look.scan();
  expect(await look.built(one)).toBeNull();
  expect(built).toEqual(['one']);
});

it('reports the metadata of a file from the time of the scan', async () => {
  const one = await save('one');
  const look = createEarlyBuild(await stateOf(one), [], false);
  await look.scan();
  const before = await readFileFacts(one.entryFile);
  await writeFile(one.entryFile, 'export const longer = 1;');
  expect(await look.factsOf(one.entryFile)).toEqual(before);
  expect(await look.factsOf(path.join(extensionsDir, 'elsewhere'))).toBeNull();
});

it('scans again when files were written after the other scan began', async () => {
  const [one, removed] = [await save('one'), await save('removed')];
  const state = await stateOf(one, removed);
  const look = createEarlyBuild(state, [], false);
  expect((await look.scan()).candidates.map(({ id }) => id)).toEqual(['one', 'removed']);
  await rm(removed.folder, { recursive: true });
  await writeFile(one.entryFile, 'export const longer = 1;');
  await state.scanner.scan(null);
  expect((await look.scan()).candidates.map(({ id }) => id)).toEqual(['one']);
  expect(await look.factsOf(one.entryFile)).toEqual(await factsOf(one.entryFile));
});

it('reports a missing folder, and has no effect when unused', async () => {
  const gone = { options: { builder, runtimes }, slots: new Map(), scanner: createScanner(path.join(extensionsDir, 'gone')) };
  createEarlyBuild(gone, [], false);
  const look = createEarlyBuild(gone, [], false);
  expect(await look.scan()).toMatchObject({ candidates: [], failed: [], folder: { kind: 'absent' } });
});

async function save(id: string): Promise<Candidate> {
  const folder = path.join(extensionsDir, id);
  await mkdir(folder, { recursive: true });
  const entryFile = path.join(folder, 'extension.ts');
  await writeFile(entryFile, `export const id = '${id}';`);
  return { id, kind: 'tools', runtime: 'node', folder, entryFile };
}

async function factsOf(file: string): Promise<BuildInput> {
  const facts = await readFileFacts(file);
  if (facts === null) throw new Error(`${file} does not exist.`);
  return facts;
}

/** All loaded before, in their current state. */
async function stateOf(...candidates: readonly Candidate[]) {
  const slots = new Map<string, EarlyBuildState['slots'] extends ReadonlyMap<string, infer Slot> ? Slot : never>();
  for (const candidate of candidates) {
    const inputs = [await factsOf(candidate.entryFile)];
    const newest = {
      revision: 1,
      contentHash: `${candidate.id} ${inputs[0]?.size}`,
      failure: null,
      scanFailure: null,
      awaitsOwner: null,
      inputs,
      missing: [],
      loaded: { paths: [], builtHash: null },
    };
    slots.set(candidate.id, { candidate, newest, serving: null, isExcluded: false, disabled: false });
  }
  return { options: { builder, runtimes }, slots, scanner: createScanner(extensionsDir) };
}

function outcomeOf({ id, kind, runtime, folder, entryFile }: Candidate, input: BuildInput): BuildOutcome {
  const contentHash = `${id} ${input.size}`;
  return {
    ok: true,
    isNew: false,
    artifact: { extension: id, kind, runtime, contentHash, folder, entryFile, programFile: entryFile },
    inputs: [input],
    sources: {},
    missing: [path.join(folder, '.env')],
    uses: [],
    packages: null,
  };
}

it('covers only the saved extensions when all events are saves, without a scan of the folder', async () => {
  const [one, two] = [await save('one'), await save('two')];
  const helper = path.join(extensionsDir, 'helper.ts');
  await writeFile(helper, 'export {}');
  const state = await stateOf(one, two);
  for (const [id, slot] of state.slots)
    if (slot.newest) state.slots.set(id, { ...slot, newest: { ...slot.newest, inputs: [...slot.newest.inputs, await factsOf(helper)] } });
  const look = createEarlyBuild(state, [one.entryFile], true);
  expect(look.only).toEqual(new Map([['one', [one.entryFile]]]));
  const both = createEarlyBuild(state, [helper], true);
  expect([...(both.only?.keys() ?? [])]).toEqual(['one', 'two']);
  await rm(extensionsDir, { recursive: true });
  expect(await look.scan()).toMatchObject({ folder: { kind: 'absent' } });
  await mkdir(extensionsDir);
});

it('covers all extensions when there are other events, or when an affected one is not built ahead', async () => {
  const [one, off] = [await save('one'), await save('off')];
  const many = await Promise.all(Array.from({ length: 5 }, async (_, at) => await save(`many-${at}`)));
  const server: Candidate = { ...(await save('server')), runtime: 'mcp', kind: 'mcp' };
  const state = await stateOf(one, off, server, ...many);
  const slot = state.slots.get('off');
  if (slot) state.slots.set('off', { ...slot, disabled: true });
  const onlyOf = (files: readonly string[], areSaves = true) => createEarlyBuild(state, files, areSaves).only;
  expect(onlyOf([one.entryFile], false)).toBeNull();
  expect(onlyOf([])).toBeNull();
  expect(onlyOf([one.entryFile, path.join(extensionsDir, 'one', 'notes.txt')])).toBeNull();
  expect(onlyOf([one.entryFile, off.entryFile])).toBeNull();
  expect(onlyOf([server.entryFile])).toBeNull();
  expect(onlyOf(many.map(({ entryFile }) => entryFile))).toBeNull();
  expect(onlyOf(many.slice(1).map(({ entryFile }) => entryFile))?.size).toBe(4);
});

it('reports whether loads may begin: all events are saves, and each affected extension has new source', async () => {
  const [changed, same] = [await save('changed'), await save('same')];
  const state = await stateOf(changed, same);
  await writeFile(changed.entryFile, 'export const more = "more of it than before";');
  const haveNewSource = (files: readonly string[], areSaves = true) => createEarlyBuild(state, files, areSaves).haveNewSource;
  expect(await haveNewSource([changed.entryFile])).toBe(true);
  expect(await haveNewSource([changed.entryFile], false)).toBe(false);
  expect(await haveNewSource([same.entryFile])).toBe(false);
  expect(await haveNewSource([changed.entryFile, same.entryFile])).toBe(false);
  isBroken = true;
  expect(await haveNewSource([changed.entryFile])).toBe(false);
});
