import { declaredSecrets } from '#lib/contract/secrets.ts';
import { dirname, join, sep } from 'node:path';
import { artifactOf, type Builder, type BuilderOptions, type BuildOutcome, type Candidate } from './build.ts';
import { createSourceReader, type SourceReader, readableEntry } from './source-reader.ts';
import { writeAtomically } from './write-atomically.ts';

/** Increased when the program file changes its format. */
const FORMAT = 1;

/**
 * Stores the source of one Python extension, its entry and every own file that it imports, as one program file that the
 * child imports from. So an older revision runs unchanged, and a helper's change reloads the extensions that import it.
 *
 * What can go wrong:
 * - an import is known only at run time (`importlib`, a computed name): the file is read from the folder when it is
 *   imported, and its process reports it (loaded-files.ts); an older revision reads its current text;
 * - a source that Python rejects is stored anyway: the child reports the location of the error.
 */
export function createPythonBuilder({ extensionsDir, artifactsDir, environments }: BuilderOptions): Builder {
  async function build(candidate: Candidate, stored?: Readonly<Record<string, string>>): Promise<BuildOutcome> {
    const { entryFile, folder } = candidate;
    const envFile = join(folder, '.env');
    const reader = createSourceReader(extensionsDir, envFile, stored);
    const [env, entry] = await Promise.all([reader.read(envFile), reader.read(entryFile)]);
    const missing = new Set<string>(!env.ok && env.reason === 'absent' ? [envFile] : []);
    const uses = new Set<string>();
    const files = entry.ok ? await reach(candidate, reader, missing, uses) : new Map<string, Uint8Array>();
    const found = entry.ok ? await environments?.find(candidate, reader.read) : undefined;
    for (const path of found?.missing ?? []) missing.add(path);
    const contentHash = reader.hash(`python ${FORMAT} ${candidate.kind} ${candidate.id}${found?.salt ?? ''}`);
    const facts = { contentHash, inputs: reader.inputs(), sources: reader.sources() };
    const readable = readableEntry(candidate, reader, envFile, env, entry);
    if (!readable.ok) return { ok: false, ...facts, missing: [...missing, ...(entry.ok ? [] : [entryFile])], failure: readable.failure };
    if (found !== undefined && found.failure !== null) return { ok: false, ...facts, missing: [...missing], failure: found.failure };
    const programFile = join(artifactsDir, contentHash, 'program.json');
    const isNew = await writeAtomically(programFile, pythonProgram(candidate, files));
    const secrets = declaredSecrets(new TextDecoder().decode(readable.bytes));
    return {
      ok: true,
      artifact: artifactOf(candidate, { contentHash, programFile, secrets }, found),
      isNew,
      inputs: facts.inputs,
      sources: facts.sources,
      missing: [...missing],
      uses: [...uses].toSorted(),
      packages: found?.environment?.packages ?? null,
    };
  }

  return {
    build,
    hint: async (candidate, failure) => (await environments?.hint(candidate, failure)) ?? failure,
    isOwn: (programFile) => programFile.startsWith(join(artifactsDir, sep)),
    close: async () => undefined,
  };
}

/** The text of a program file, as the child reads it. */
export function pythonProgram(candidate: Pick<Candidate, 'kind' | 'folder' | 'entryFile'>, files: ReadonlyMap<string, Uint8Array>): string {
  return JSON.stringify({
    kind: candidate.kind,
    root: dirname(candidate.folder),
    folder: candidate.folder,
    entry: candidate.entryFile,
    files: Object.fromEntries([...files].map(([path, bytes]) => [path, encodedFile(bytes)])),
  });
}

/** A file in another encoding is stored as bytes: its first lines declare the encoding for Python. */
function encodedFile(bytes: Uint8Array): { readonly text: string } | { readonly base64: string } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { base64: Buffer.from(bytes).toString('base64') };
  }
}

/**
 * The entry and all of its own imported files; `missing` receives paths that were not found, `uses` external modules.
 */
async function reach(
  { entryFile, folder }: Candidate,
  reader: SourceReader,
  missing: Set<string>,
  uses: Set<string>,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  const waiting = [entryFile, join(folder, '__init__.py')];
  const seen = new Set<string>();
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    const source = await reader.read(path);
    if (!source.ok) continue;
    files.set(path, source.bytes);
    for (const one of pythonImports(new TextDecoder().decode(source.bytes))) {
      const found: string[] = [];
      for (const base of basesOf(one, path, folder)) found.push(...(await filesOf(base, reader, missing)));
      waiting.push(...found);
      if (found.length === 0 && one.level === 0) uses.add(one.module.split('.')[0] ?? '');
    }
  }
  return files;
}

/** Possible paths of an import statement's modules, without suffix; the enclosing packages first. */
function basesOf({ level, module, names }: PythonImport, importer: string, folder: string): readonly (readonly string[])[] {
  let root = folder;
  if (level > 0) {
    root = dirname(importer);
    for (let up = 1; up < level; up += 1) root = dirname(root);
  }
  const parts = module === '' ? [] : module.split('.');
  const steps = parts.map((_, at) => join(root, ...parts.slice(0, at + 1)));
  if (names.length === 0 || (parts.length === 0 && level === 0)) return [steps];
  return names.map((name) => [...steps, join(root, ...parts, name)]);
}

/** The files of a chain of packages and the module in the last. Only the first missing one is waited for. */
async function filesOf(chain: readonly string[], reader: SourceReader, missing: Set<string>): Promise<readonly string[]> {
  const files: string[] = [];
  for (const base of chain) {
    const forms = [`${base}.py`, `${base}${sep}__init__.py`];
    const reads = await Promise.all(forms.map((path) => reader.read(path)));
    const found = forms.filter((_, at) => reads[at]?.ok === true);
    files.push(...found);
    if (found.length > 0) continue;
    for (const path of forms) missing.add(path);
  }
  return files;
}

/**
 * The modules in the `import` statements of a Python source, at any nesting. A tokenizer, not a parser: it also
 * reads sources that Python rejects, so that their helpers are known while they are being fixed.
 */
interface PythonImport {
  /** Dots before the name: 0 for `import a`, 1 for `from . import a`, 2 for `from ..a import b`. */
  readonly level: number;
  /** `a.b` in `from a.b import c`; "" in `from . import c`. */
  readonly module: string;
  /** The imported names, each of which may be a module too; empty for `import a.b`. */
  readonly names: readonly string[];
}

/** Strings (with their prefixes), comments, joined lines, names, and single characters that matter here. */
const TOKEN =
  /(?<string>[rRbBuUfFtT]{0,2}(?:"""(?:\\[\s\S]|(?!""")[\s\S])*(?:"""|$)|'''(?:\\[\s\S]|(?!''')[\s\S])*(?:'''|$))|[rRbBuUfFtT]{0,2}(?:"(?:\\[\s\S]|[^"\\\n])*(?:"|(?=\n)|$)|'(?:\\[\s\S]|[^'\\\n])*(?:'|(?=\n)|$)))|(?<comment>#[^\n]*)|(?<joined>\\\r?\n)|(?<name>[\p{L}_][\p{L}\p{N}_]*)|(?<mark>[\n;:.,*()])/gu;

export function pythonImports(source: string): readonly PythonImport[] {
  const tokens = [...source.replaceAll('\r\n', '\n').matchAll(TOKEN)].flatMap(({ groups }) => groups?.['name'] ?? groups?.['mark'] ?? []);
  const found: PythonImport[] = [];
  let isStart = true;
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (isStart && token === 'import') found.push(...plainImports(tokens, at + 1));
    if (isStart && token === 'from') {
      const one = fromImport(tokens, at + 1);
      if (one !== null) found.push(one);
    }
    isStart = token === '\n' || token === ';' || token === ':';
  }
  return found;
}

/** `import a.b as c, d` */
function plainImports(tokens: readonly string[], from: number): readonly PythonImport[] {
  const found: PythonImport[] = [];
  let at = from;
  for (;;) {
    const name = dottedName(tokens, at);
    if (name.text === '') return found;
    found.push({ level: 0, module: name.text, names: [] });
    at = tokens[name.next] === 'as' ? name.next + 2 : name.next;
    if (tokens[at] !== ',') return found;
    at += 1;
  }
}

/** `from ..a.b import (c as d, e)` */
function fromImport(tokens: readonly string[], from: number): PythonImport | null {
  let at = from;
  while (tokens[at] === '.') at += 1;
  const level = at - from;
  const module = tokens[at] === 'import' ? { text: '', next: at } : dottedName(tokens, at);
  if (tokens[module.next] !== 'import' || (level === 0 && module.text === '')) return null;
  at = module.next + 1;
  const isOpen = tokens[at] === '(';
  const names: string[] = [];
  for (at += isOpen ? 1 : 0; at < tokens.length; at += 1) {
    const token = tokens[at] ?? '';
    if (token === ')' || token === ';' || (token === '\n' && !isOpen)) break;
    if (token === 'as') at += 1;
    else if (isName(token)) names.push(token);
  }
  return { level, module: module.text, names };
}

function dottedName(tokens: readonly string[], from: number): { readonly text: string; readonly next: number } {
  const parts: string[] = [];
  let at = from;
  while (isName(tokens[at] ?? '')) {
    parts.push(tokens[at] ?? '');
    at += 1;
    if (tokens[at] !== '.') break;
    at += 1;
  }
  return { text: parts.join('.'), next: at };
}

function isName(token: string): boolean {
  return /^[\p{L}_]/u.test(token) && token !== 'as' && token !== 'import';
}
