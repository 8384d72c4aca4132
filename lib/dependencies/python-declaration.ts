import { dirname, join, relative, resolve } from 'node:path';
import { parse, TomlError } from 'smol-toml';
import * as z from 'zod';
import type { RawFailure } from '#lib/runtime/runtime.ts';
import { notAllowed, sourceNotAllowed } from './declaration.ts';
import type { DependencySources, ReadDeclaration, ReadFile, Requirement } from './declaration.ts';

/**
 * The dependencies of a Python extension: the script block in its entry (PEP 723), else `requirements.txt`, else the `project` table
 * of `pyproject.toml`, both beside the entry.
 *
 * What can go wrong: the text comes from the extension and reaches an installer. So each line is parsed; only requirements, included
 * files of the same folder, constraints and hashes are accepted. Options, which could name another index or run a build, are refused.
 */
export async function readPythonDeclaration(
  entryFile: string,
  folder: string,
  read: ReadFile,
  sources: DependencySources,
): Promise<ReadDeclaration> {
  const entry = await read(entryFile);
  const script = entry.ok ? scriptBlock(new TextDecoder().decode(entry.bytes)) : null;
  if (script !== null) return fromToml(entryFile, script.text, script.line, scriptSchema, (value) => value, sources, []);
  const missing: string[] = [];
  const listed = join(folder, 'requirements.txt');
  const list = await read(listed);
  if (list.ok) return fromRequirements(listed, textOf(list.bytes), folder, read, sources);
  missing.push(listed);
  const project = join(folder, 'pyproject.toml');
  const table = await read(project);
  if (table.ok)
    return fromToml(
      project,
      new TextDecoder().decode(table.bytes),
      1,
      projectSchema,
      ({ project: found }) => found ?? {},
      sources,
      missing,
    );
  return { ok: true, declaration: null, missing: [...missing, project] };
}

const scriptSchema = z.looseObject({ dependencies: z.array(z.string()).optional(), 'requires-python': z.string().optional() });
const projectSchema = z.looseObject({ project: scriptSchema.optional() });

/** As PEP 723 defines it; line ends are `\n`. */
export const SCRIPT_BLOCK = /^# \/\/\/ script\n((?:#(?:| .*)\n)+?)# \/\/\/$/m;

function scriptBlock(source: string): { readonly text: string; readonly line: number } | null {
  const text = source.replaceAll('\r\n', '\n');
  const found = SCRIPT_BLOCK.exec(text);
  if (found?.[1] === undefined) return null;
  const line = text.slice(0, found.index).split('\n').length;
  const lines = found[1].split('\n').map((one) => (one.startsWith('# ') ? one.slice(2) : one.slice(1)));
  return { text: lines.join('\n'), line };
}

function fromToml<Table>(
  file: string,
  text: string,
  firstLine: number,
  schema: z.ZodType<Table>,
  pick: (table: Table) => z.infer<typeof scriptSchema>,
  sources: DependencySources,
  missing: readonly string[],
): ReadDeclaration {
  const isScript = firstLine > 1 || !file.endsWith('.toml');
  const failed = (failure: RawFailure): ReadDeclaration => ({ ok: false, failure, missing });
  let table: z.infer<typeof scriptSchema>;
  try {
    const parsed = schema.safeParse(parse(text));
    if (!parsed.success) {
      const hint = 'Write `dependencies` as a list of strings, such as ["requests>=2.31"], and `requires-python` as a string.';
      return failed(notAllowed(file, firstLine, 'The declared dependencies have the wrong form.', hint));
    }
    table = pick(parsed.data);
  } catch (error) {
    const line = error instanceof TomlError ? error.line + (isScript ? firstLine : 0) : firstLine;
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    return failed({ code: 'syntax_error', message: `The declaration is not TOML: ${reason}.`, file, line });
  }
  const { dependencies = [], 'requires-python': requiresPython = null } = table;
  if (requiresPython !== null && !VERSIONS.test(requiresPython))
    return failed(
      notAllowed(file, firstLine, `“${requiresPython.slice(0, 80)}” is no range of Python versions.`, 'Write it as in ">=3.11,<4".'),
    );
  const requirements: Requirement[] = [];
  const lines = text.split('\n');
  for (const one of dependencies) {
    const at = Math.max(
      0,
      lines.findIndex((line) => line.includes(one)),
    );
    const place = at + firstLine + (isScript ? 1 : 0);
    const requirement = parseRequirement(one, file, place, sources);
    if ('code' in requirement) return failed(requirement);
    requirements.push(requirement);
  }
  if (requirements.length === 0 && requiresPython === null) return { ok: true, declaration: null, missing };
  const files = { 'requirements.txt': `${requirements.map(({ text: own }) => own).join('\n')}\n` };
  const declaration = {
    ecosystem: 'python' as const,
    file,
    line: firstLine,
    requirements,
    requiresPython,
    files,
    locked: lockedBy(requirements),
    own: null,
  };
  return { ok: true, declaration, missing };
}

const INCLUDED_MOST = 20;

async function fromRequirements(
  file: string,
  text: string,
  folder: string,
  read: ReadFile,
  sources: DependencySources,
): Promise<ReadDeclaration> {
  const requirements: Requirement[] = [];
  const lists = { requirements: [] as string[], constraints: [] as string[] };
  const missing: string[] = [];
  const waiting: { readonly file: string; readonly text: string; readonly isConstraint: boolean }[] = [{ file, text, isConstraint: false }];
  const seen = new Set([file]);
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    for (const { line, text: own } of logicalLines(next.text)) {
      const included = /^(?:-r|--requirement|-c|--constraint)(?:\s+|=)(.+)$/.exec(own);
      if (included?.[1] !== undefined) {
        const path = resolve(dirname(next.file), included[1].trim());
        if (relative(folder, path).startsWith('..') || seen.size > INCLUDED_MOST)
          return { ok: false, failure: sourceNotAllowed(next.file, line, own), missing };
        if (seen.has(path)) continue;
        seen.add(path);
        const found = await read(path);
        if (!found.ok) {
          const failure = notAllowed(next.file, line, found.message, 'Create the file, or remove this line.');
          return { ok: false, failure, missing: [...missing, path] };
        }
        waiting.push({
          file: path,
          text: textOf(found.bytes),
          isConstraint: next.isConstraint || /^(?:-c|--c)/.test(own),
        });
        continue;
      }
      const [requirementText = '', ...hashes] = own.split(/\s+(?=--hash=)/);
      if (hashes.some((hash) => !/^--hash=sha(?:256|384|512):[0-9a-f]{64,128}$/.test(hash.trim())) || requirementText.startsWith('-'))
        return { ok: false, failure: optionRefused(next.file, line, own), missing };
      const requirement = parseRequirement(requirementText, next.file, line, sources);
      if ('code' in requirement) return { ok: false, failure: requirement, missing };
      if (!next.isConstraint) requirements.push(requirement);
      lists[next.isConstraint ? 'constraints' : 'requirements'].push([requirement.text, ...hashes].join(' '));
    }
  }
  if (requirements.length === 0) return { ok: true, declaration: null, missing };
  const files = {
    'requirements.txt': `${lists.requirements.join('\n')}\n`,
    ...(lists.constraints.length === 0 ? {} : { 'constraints.txt': `${lists.constraints.join('\n')}\n` }),
  };
  const declaration = {
    ecosystem: 'python' as const,
    file,
    line: 1,
    requirements,
    requiresPython: null,
    files,
    locked: lockedBy(requirements),
    own: null,
  };
  return { ok: true, declaration, missing };
}

/** UTF-8, or UTF-16 with a byte order mark: `pip freeze > requirements.txt` in Windows PowerShell. pip reads both too. */
function textOf(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const encoding = first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding).decode(bytes);
}

/** Without comments; lines that end with a backslash are joined. */
function logicalLines(text: string): readonly { readonly line: number; readonly text: string }[] {
  const found: { line: number; text: string }[] = [];
  let open: { line: number; text: string } | null = null;
  for (const [at, raw] of text.split(/\r?\n/).entries()) {
    const own = raw.replace(/(?:^|\s)#.*$/, '').trim();
    const isContinued = own.endsWith('\\');
    const part = isContinued ? own.slice(0, -1).trim() : own;
    open = open === null ? { line: at + 1, text: part } : { line: open.line, text: `${open.text} ${part}`.trim() };
    if (isContinued) continue;
    if (open.text !== '') found.push(open);
    open = null;
  }
  if (open !== null && open.text !== '') found.push(open);
  return found;
}

const NAME = /^([A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)\s*(\[[\w\s.,-]*\])?\s*/;
const VERSIONS = /^\s*(?:===|~=|==|!=|<=|>=|<|>)\s*[\w.*+!-]+\s*(?:,\s*(?:===|~=|==|!=|<=|>=|<|>)\s*[\w.*+!-]+\s*)*,?\s*$/;
/** Characters of environment markers; no newline, and nothing special to a shell or an option parser. */
const MARKER = /^[\w\s.'"()<>=!~,*+-]*$/;
const REQUIREMENT_MOST = 500;

/** One requirement of PEP 508, or the reason why it is refused. */
export function parseRequirement(text: string, file: string, line: number, sources: DependencySources): Requirement | RawFailure {
  const own = text.trim();
  const shown = own.slice(0, 120);
  const wrong = (): RawFailure =>
    notAllowed(
      file,
      line,
      `“${shown}” is no requirement.`,
      'Write a name and, if needed, versions: `requests`, `requests>=2.31,<3`, `uvicorn[standard]`.',
    );
  if (own.length > REQUIREMENT_MOST || /[\n\r\0]/.test(own)) return wrong();
  const named = NAME.exec(own);
  const isPath = /^[./~\\]|^[a-z][a-z+.-]*:|\.(?:whl|zip|tar\.gz)$/i.test(own);
  if (named?.[1] === undefined || isPath) return isPath ? directRequirement(own, null, file, line, sources) : wrong();
  const rest = own.slice(named[0].length);
  if (rest.startsWith('@')) return directRequirement(own, named[1], file, line, sources);
  const [versions = '', ...markers] = rest.split(';');
  const range = versions.trim().replace(/^\((.*)\)$/, '$1');
  if ((range !== '' && !VERSIONS.test(range)) || markers.length > 1 || !MARKER.test(markers[0] ?? '')) return wrong();
  return { name: named[1], text: own };
}

/** A URL contains no space and begins with its scheme, so that no installer reads it as an option. */
function directRequirement(
  text: string,
  name: string | null,
  file: string,
  line: number,
  sources: DependencySources,
): Requirement | RawFailure {
  if (sources !== 'any' || text.startsWith('-')) return sourceNotAllowed(file, line, text);
  return { name: name ?? text, text };
}

function optionRefused(file: string, line: number, text: string): RawFailure {
  return notAllowed(
    file,
    line,
    `The option in “${text.slice(0, 120)}” is not accepted.`,
    'List requirements, `-r` and `-c` with files of this folder, and `--hash=sha256:…`. The server chooses the package index: PIP_INDEX_URL, UV_INDEX_URL.',
  );
}

/** Exact versions, when each requirement names one. */
function lockedBy(requirements: readonly Requirement[]): readonly { readonly name: string; readonly version: string }[] | null {
  const exact = requirements.map(({ name, text }) => {
    const version = /^[^;=]*===?\s*([\w.+!-]+)\s*(?:;.*)?$/.exec(text)?.[1];
    return version === undefined ? null : { name, version };
  });
  return exact.every((one) => one !== null) ? exact : null;
}
