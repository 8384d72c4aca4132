/**
 * Which modules a Python source names in its `import` statements, wherever they stand. A reader of tokens, not a parser: a
 * source that Python itself would refuse still tells what it can, so that its helpers are known while it is being mended.
 */
export interface PythonImport {
  /** Dots before the name: 0 for `import a`, 1 for `from . import a`, 2 for `from ..a import b`. */
  readonly level: number;
  /** `a.b` in `from a.b import c`; "" in `from . import c`. */
  readonly module: string;
  /** What is imported from it, each of which may be a module too; empty for `import a.b`. */
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
