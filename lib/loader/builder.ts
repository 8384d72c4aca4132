import { realpathSync } from 'node:fs';
import { basename, dirname, extname, join, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BuildFailure, type BuildOptions, type BuildResult, type Message, stop, version } from 'esbuild';
import * as z from 'zod';
import { declaredSecrets } from '#lib/contract/secrets.ts';
import { CHANNEL_ABOUT_EXPORT, type ChannelAbout, MODULE_STATE_EXPORT, RUN_PLAN_EXPORT, type RunPlan } from '#lib/contract/run-plan.ts';
import { readChannelAbout } from '#lib/schema/hints/channel-about.ts';
import { type ModuleText, parseModule } from '#lib/schema/hints/module-text.ts';
import { hasModuleState } from '#lib/schema/module-state.ts';
import { HINTS_FORMAT, readRun, type RunReading } from '#lib/schema/hints/read-run.ts';
import { runEsbuild } from '#lib/runtime/run-esbuild.ts';
import type { ModuleSource } from '#lib/schema/hints/declarations.ts';
import { explainBuildErrors, caseMismatch, missingPaths, RESOLVED_EXTENSIONS, differsByCase } from './build-errors.ts';
import { type BuildListeners, type BuildPluginOptions, createBuildPlugin, PLACE_DEFINES } from './build-plugin.ts';
import { artifactOf } from './build.ts';
import type { Builder, BuilderOptions, BuildInput, BuildOutcome, Candidate, FoundEnvironment } from './build.ts';
import { createSourceReader, type SourceReader, readableEntry } from './source-reader.ts';
import { writeAtomically } from './write-atomically.ts';
import { encodingFault } from './source-encoding.ts';
import { parseSource } from '#lib/schema/parse-source.ts';
import type { Expression, Node } from 'oxc-parser';

/**
 * Builds one extension into one file that a Node child imports.
 *
 * What can go wrong:
 * - half-written or broken sources: a failure with a location; the next save starts another build;
 * - the bundler's process dies or another owner stops it: it is started again and the build retried;
 * - two builds of the same source at once, or a host killed while writing: the artifact is written to a temporary path and
 *   renamed, so it is complete or missing;
 * - an artifact of the same source refers to packages or sources that have moved: it is compared and replaced.
 */
export interface NodeBuilderOptions extends BuilderOptions {
  /** Absolute path of the module behind the import `switchboard`. */
  readonly authorModule: string;
}

interface Bundle {
  readonly code: string;
  readonly map: string;
  readonly isCommonJs: boolean;
  /** Import paths that contain a link, with the files they resolved to. */
  readonly links: readonly (readonly [path: string, file: string])[];
}

type BundleOutcome = { readonly ok: true; readonly bundle: Bundle } | { readonly ok: false; readonly errors: readonly Message[] };

const sourceMapSchema = z.looseObject({ sources: z.array(z.string()), mappings: z.string() });

/** All hosts of this program share one bundler process; builds in progress when it stops never get an answer. */
let openBuilders = 0;
/** How often that process was replaced. The library does not detect that it died, and continues to send requests. */
let deadBundlers = 0;
const BUNDLERS_TRIED = 3;

export function createBuilder(options: NodeBuilderOptions): Builder {
  const { extensionsDir, artifactsDir } = options;
  openBuilders += 1;
  const running = new Set<Promise<BuildOutcome>>();
  let closed = false;

  async function buildOne(candidate: Candidate, stored?: Readonly<Record<string, string>>): Promise<BuildOutcome> {
    const envFile = join(candidate.folder, '.env');
    const reader = createSourceReader(extensionsDir, envFile, stored);
    const sought = new Set<string>();
    const uses = new Set<string>();
    const [env, entry] = await Promise.all([reader.read(envFile), reader.read(candidate.entryFile)]);
    const found = entry.ok ? ((await options.environments?.find(candidate, reader.read)) ?? null) : null;
    const outcome: BundleOutcome = entry.ok ? await bundle(candidate, reader, sought, uses, found) : { ok: false, errors: [] };
    const reading =
      entry.ok && outcome.ok && candidate.kind === 'tool' ? await readHints(candidate, entry.bytes, reader, extensionsDir) : null;
    const contentHash = reader.hash(
      `${version} ${candidate.kind} ${candidate.id}${candidate.kind === 'tool' ? ` ${HINTS_FORMAT}` : ''}${found?.salt ?? ''}`,
    );
    const facts = { contentHash, inputs: reader.inputs(), sources: reader.sources() };
    const missing = [...(!env.ok && env.reason === 'absent' ? [envFile] : []), ...(found?.missing ?? [])];
    const readable = readableEntry(candidate, reader, envFile, env, entry);
    if (!readable.ok)
      return { ok: false, ...facts, missing: [...missing, ...(entry.ok ? [] : [candidate.entryFile])], failure: readable.failure };
    if (!outcome.ok) {
      const explained = explainBuildErrors(outcome.errors, extensionsDir, candidate.entryFile);
      const failure = (await options.environments?.hint(candidate, explained.failure)) ?? explained.failure;
      return { ok: false, ...facts, missing: [...missing, ...explained.missing], failure };
    }
    if (reading !== null && !reading.ok)
      return { ok: false, ...facts, missing: [...missing, ...sought, ...reading.missing], failure: reading.failure };
    if (found !== null && found.failure !== null) return { ok: false, ...facts, missing: [...missing, ...sought], failure: found.failure };
    const programFile = join(artifactsDir, contentHash, 'program.mjs');
    const names = outcome.bundle.isCommonJs ? commonjsExports(candidate.entryFile, new TextDecoder().decode(readable.bytes)) : [];
    const about = candidate.kind === 'channel' ? readChannelAbout(moduleText(candidate, readable.bytes)) : null;
    const added = {
      [RUN_PLAN_EXPORT]: reading?.plan ?? null,
      [CHANNEL_ABOUT_EXPORT]: about,
      [MODULE_STATE_EXPORT]: hasModuleState(programFile, outcome.bundle.code),
    };
    const isNew = await writeAtomically(programFile, programText(outcome.bundle, candidate.entryFile, artifactsDir, names, added));
    const secrets = declaredSecrets(new TextDecoder().decode(readable.bytes));
    return {
      ok: true,
      artifact: artifactOf(candidate, { contentHash, programFile, secrets }, found),
      isNew,
      inputs: withLinks(facts.inputs, outcome.bundle.links),
      sources: facts.sources,
      missing: [...missing, ...sought],
      uses: [...uses].toSorted(),
      packages: found?.environment?.packages ?? null,
    };
  }

  async function bundle(
    candidate: Candidate,
    reader: SourceReader,
    sought: Set<string>,
    uses: Set<string>,
    found: FoundEnvironment | null,
  ): Promise<BundleOutcome> {
    let marked = false;
    const listeners: BuildListeners & Pick<BuildPluginOptions, 'environment' | 'isIncomplete'> = {
      environment: found?.environment?.folder ?? null,
      isIncomplete: found !== null && found.failure !== null,
      onPlaceMarked: () => (marked = true),
      onPackage: (folder) => uses.add(folder),
      onUnresolved: (specifier, folder) => missingPaths(specifier, folder).forEach((path) => sought.add(path)),
    };
    const outcome = await runBundler(bundlerOptions(candidate, reader, true, listeners), candidate.entryFile);
    if (outcome.ok || !marked) return outcome;
    const plain = await runBundler(bundlerOptions(candidate, reader, false, listeners), candidate.entryFile);
    return plain.ok ? outcome : plain;
  }

  function bundlerOptions(
    candidate: Candidate,
    reader: SourceReader,
    markPlaces: boolean,
    listeners: BuildListeners & Pick<BuildPluginOptions, 'environment' | 'isIncomplete'>,
  ): BuildOptions {
    return {
      entryPoints: [candidate.entryFile],
      // The bundler reports locations relative to the real path.
      absWorkingDir: linkedDir() ?? extensionsDir,
      outfile: join(artifactsDir, 'build', 'program.mjs'),
      bundle: true,
      metafile: true,
      platform: 'node',
      format: 'esm',
      target: 'node26',
      charset: 'utf8',
      sourcemap: 'external',
      sourcesContent: false,
      logLevel: 'silent',
      tsconfigRaw: '{}',
      ignoreAnnotations: true,
      conditions: ['node-addons'],
      mainFields: ['main'],
      resolveExtensions: RESOLVED_EXTENSIONS,
      define: PLACE_DEFINES,
      plugins: [
        createBuildPlugin({ extensionsDir, linkedDir: linkedDir(), authorModule: options.authorModule, reader, markPlaces, ...listeners }),
      ],
    };
  }

  function linkedDir(): string | null {
    const real = realpathSync(extensionsDir);
    return real === extensionsDir ? null : real;
  }

  return {
    build(candidate, stored) {
      if (closed) throw new Error('The builder is closed.');
      if (candidate.runtime !== 'node')
        throw new Error(`The builder makes node extensions; "${candidate.id}" runs in ${candidate.runtime}.`);
      const building = buildOne(candidate, stored).finally(() => running.delete(building));
      running.add(building);
      return building;
    },
    isOwn: (programFile) => programFile.startsWith(join(artifactsDir, sep)),
    async close() {
      if (!closed) openBuilders -= 1;
      closed = true;
      await Promise.allSettled(running);
      if (openBuilders === 0) await stop();
    },
  };
}

/** A link on an import's path may change its target while the old target stays unchanged. */
function withLinks(inputs: readonly BuildInput[], links: Bundle['links']): readonly BuildInput[] {
  const added = links.flatMap(([path, file]) => inputs.filter((input) => input.path === file).map((input) => ({ ...input, path })));
  return [...inputs, ...added];
}

function readHints(candidate: Candidate, entry: Uint8Array, reader: SourceReader, extensionsDir: string): Promise<RunReading> {
  const { entryFile } = candidate;
  return readRun(createHintSource(reader, extensionsDir), moduleText(candidate, entry), basename(entryFile, extname(entryFile)));
}

function moduleText({ entryFile }: Candidate, entry: Uint8Array): ModuleText {
  return parseModule(entryFile, new TextDecoder().decode(entry));
}

async function runBundler(options: BuildOptions, entryFile: string, attempt = 1): Promise<BundleOutcome> {
  const asked = deadBundlers;
  try {
    const result = await runEsbuild(options);
    return { ok: true, bundle: readResult(result, options.absWorkingDir ?? '/', entryFile) };
  } catch (error) {
    if (isBuildFailure(error)) return { ok: false, errors: error.errors.map((one) => withAbsolutePath(one, options.absWorkingDir ?? '/')) };
    if (attempt === BUNDLERS_TRIED) throw error;
    // Another build may have restarted it and may be using the new process.
    if (asked === deadBundlers) {
      deadBundlers += 1;
      await stop();
    }
    return runBundler(options, entryFile, attempt + 1);
  }
}

function withAbsolutePath(error: Message, workingDir: string): Message {
  const { location } = error;
  return location === null ? error : { ...error, location: { ...location, file: resolve(workingDir, location.file) } };
}

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && 'errors' in error && Array.isArray(error.errors);
}

function readResult(result: BuildResult, workingDir: string, entryFile: string): Bundle {
  const files = result.outputFiles ?? [];
  const code = files.find((file) => file.path.endsWith('.mjs'))?.text ?? '';
  const map = files.find((file) => file.path.endsWith('.map'))?.text ?? '';
  const inputs = Object.entries(result.metafile?.inputs ?? {});
  const entry = inputs.find(([path]) => resolve(workingDir, path) === entryFile);
  const links = inputs.flatMap(([importer, { imports }]) =>
    imports.flatMap(({ path, original, external }) => {
      if (external === true || original === undefined || !/^\.{1,2}\//.test(original)) return [];
      const file = resolve(workingDir, path);
      const written = resolve(workingDir, dirname(importer), original);
      if (file.startsWith(written)) return [];
      const over = basename(file).startsWith(basename(written, extname(written))) ? dirname(written) : written;
      return over === dirname(file) ? [] : [[join(over, basename(file)), file] as const];
    }),
  );
  return { code, map, isCommonJs: entry?.[1].format === 'cjs', links };
}

/**
 * The bundle as the child imports it: CommonJS exports named, `require` added where used, absolute sources in its map.
 */
function programText(
  bundle: Bundle,
  entryFile: string,
  artifactsDir: string,
  commonjsNames: readonly string[],
  added: Readonly<Record<string, RunPlan | ChannelAbout | boolean | null>>,
): string {
  let code = bundle.code;
  const map = sourceMapSchema.parse(JSON.parse(bundle.map));
  map.sources = map.sources.map((source) =>
    /^[a-z-]+:/.test(source) ? source : pathToFileURL(resolve(artifactsDir, 'build', source)).href,
  );
  if (bundle.isCommonJs) {
    const exported = commonjsNames.map(
      (name, index) => `const __export_${index} = __exports?.${name};\nexport { __export_${index} as ${name} };`,
    );
    code = code.replace(/^export default (require_[\w$]+\(\));$/m, (_, call: string) =>
      [`const __exports = ${call};`, 'export default __exports;', ...exported].join('\n'),
    );
  }
  if (code.includes('__require')) {
    code = `import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(${JSON.stringify(pathToFileURL(entryFile).href)});\n${code}`;
    map.mappings = `;${map.mappings}`;
  }
  for (const [name, value] of Object.entries(added)) if (value !== null) code += `export const ${name} = ${JSON.stringify(value)};\n`;
  const encoded = Buffer.from(JSON.stringify(map)).toString('base64');
  return `${code}//# sourceMappingURL=data:application/json;base64,${encoded}\n`;
}

/**
 * The files that type hints refer to. A type-only import leaves no trace in a bundle; read through the build's reader,
 * such a file counts as a source, and a change to it changes the extension.
 */
export function createHintSource(reader: SourceReader, extensionsDir: string): ModuleSource {
  const parsed = new Map<string, ModuleText>();
  return {
    async read(specifier, from) {
      const paths = hintPaths(specifier, dirname(from.path));
      for (const path of paths) {
        const known = parsed.get(path);
        if (known !== undefined) return { ok: true, module: known };
        if (!/\.[cm]?[jt]sx?$/.test(path)) continue;
        const read = await reader.read(path);
        if (!read.ok) continue;
        const module = parseModule(path, new TextDecoder().decode(read.bytes));
        const fault = encodingFault(path, read.bytes);
        if (fault !== null)
          return { ok: false, ...fault, missing: [], unreadable: { module, offset: Math.max(0, module.source.indexOf('\uFFFD')) } };
        parsed.set(path, module);
        return { ok: true, module };
      }
      const unlike = differsByCase(paths);
      if (unlike !== null) return { ok: false, ...caseMismatch(unlike, dirname(from.path), extensionsDir), missing: paths };
      return { ok: false, message: `The file "${specifier}" does not exist or cannot be read.`, missing: paths };
    },
  };
}

/** Declarations may also be in a `.d.ts` beside the code. */
function hintPaths(specifier: string, folder: string): readonly string[] {
  const paths = missingPaths(specifier, folder);
  const [path = ''] = paths;
  return [...paths, `${path}.d.ts`, path.replace(/\.([cm]?)js$/, '.d.$1ts')].filter((one, index, all) => all.indexOf(one) === index);
}

/** Used when the source does not show its export names; missing ones are then undefined. */
const KNOWN_NAMES = [
  'TOOL',
  'TOOLS',
  'NAME',
  'name',
  'DESCRIPTION',
  'description',
  'INSTRUCTIONS',
  'instructions',
  'KEEP_ALIVE',
  'status',
  'run',
  'connect',
  'recv',
  'send',
];

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/**
 * The names that a CommonJS file exports, read from its source: the artifact is an ES module and must name its exports
 * before it runs. Understands `module.exports = { … }` (also through a const), `exports.x =` and `module.exports.x =`.
 */
function commonjsExports(path: string, source: string): readonly string[] {
  const program = parseSource(path, source, { sourceType: 'unambiguous' })?.program ?? { body: [] };
  const names = new Set<string>();
  let opaque = false;
  for (const statement of program.body) {
    if (statement.type === 'TSExportAssignment') opaque = !collect(statement.expression, program.body, names) || opaque;
    if (statement.type !== 'ExpressionStatement') continue;
    for (let at: Expression = statement.expression; at.type === 'AssignmentExpression'; at = at.right) {
      const target =
        at !== statement.expression && at.left.type === 'Identifier' && at.left.name === 'exports' ? '' : exportTarget(at.left);
      if (target === null) continue;
      if (target !== '') names.add(target);
      else if (at.right.type !== 'AssignmentExpression') opaque = !collect(at.right, program.body, names) || opaque;
    }
  }
  const found = opaque || names.size === 0 ? [...names, ...KNOWN_NAMES] : [...names];
  return [...new Set(found)].filter((name) => IDENTIFIER.test(name) && name !== 'default');
}

/** '' for `module.exports`, the name for one member of it, null for anything else. */
function exportTarget(node: Node): string | null {
  if (node.type !== 'MemberExpression') return null;
  const name = node.computed
    ? node.property.type === 'Literal'
      ? String(node.property.value)
      : null
    : node.property.type === 'Identifier'
      ? node.property.name
      : null;
  if (name === null) return null;
  if (node.object.type === 'Identifier') {
    if (node.object.name === 'exports') return name;
    return node.object.name === 'module' && name === 'exports' ? '' : null;
  }
  return exportTarget(node.object) === '' ? name : null;
}

/** Whether all names of the exported value are known. */
function collect(value: Expression, body: readonly Node[], names: Set<string>): boolean {
  if (value.type === 'Identifier') {
    const initial = initialOf(value.name, body);
    return initial !== null && initial.type !== 'Identifier' && collect(initial, body, names);
  }
  if (value.type !== 'ObjectExpression') return false;
  let complete = true;
  for (const property of value.properties) {
    if (property.type === 'Property' && !property.computed && property.key.type === 'Identifier') names.add(property.key.name);
    else if (property.type === 'Property' && property.key.type === 'Literal') names.add(String(property.key.value));
    else complete = false;
  }
  return complete;
}

function initialOf(name: string, body: readonly Node[]): Expression | null {
  for (const statement of body) {
    if (statement.type !== 'VariableDeclaration') continue;
    for (const declared of statement.declarations) {
      if (declared.id.type === 'Identifier' && declared.id.name === name) return declared.init;
    }
  }
  return null;
}
