import { placeAt, PLAIN_LINE_END, type SourcePlace } from '#lib/schema/hints/source-place.ts';
import { parseSource } from '#lib/schema/parse-source.ts';
import type { ArrayExpression, Expression, Node, ObjectExpression, ObjectProperty, Program } from 'oxc-parser';

/** A value in the source: its location for people, and the expression that creates it, when visible. */
interface Found {
  readonly at: number;
  readonly value: Expression | null;
}

type Statements = Program['body'];

const CODE_FILE = /\.[cm]?[jt]sx?$/;
const STEPS_MOST = 50;

/**
 * Finds the location in a source of the exported value at a path like `['TOOLS', 1, 'parameters', 'city']`. Follows
 * constants, `as const`, `satisfies` and the argument of a call such as `defineTool({ … })`. Returns the nearest
 * enclosing location when the rest of the path is not visible; null when even the export is missing.
 */
export function locateSubject(source: string, path: string, subject: readonly (string | number)[]): SourcePlace | null {
  const [name, ...keys] = subject;
  if (name === undefined || !CODE_FILE.test(path)) return null;
  const body = parseSource(path, source, { sourceType: 'unambiguous' })?.program.body ?? [];
  let found = findExport(body, String(name)) ?? findBinding(body, String(name));
  if (found === null) return null;
  found = follow(found, body);
  for (const key of keys) {
    const next = step(found, key, body);
    if (next === null) break;
    found = follow(next, body);
  }
  return placeAt(source, found.at);
}

function findExport(body: Statements, name: string): Found | null {
  for (const statement of body) {
    if (statement.type === 'ExportNamedDeclaration') {
      const declared = statement.declaration === null ? null : findBinding([statement.declaration], name);
      if (declared !== null) return declared;
      for (const specifier of statement.specifiers) {
        const exported = specifier.exported.type === 'Literal' ? specifier.exported.value : specifier.exported.name;
        if (exported !== name) continue;
        const local = specifier.local.type === 'Identifier' && statement.source === null ? findBinding(body, specifier.local.name) : null;
        return local ?? { at: specifier.start, value: null };
      }
    }
    if (statement.type === 'ExportDefaultDeclaration' && name === 'default') {
      const { declaration } = statement;
      return {
        at: statement.start,
        value:
          declaration.type === 'ObjectExpression' || declaration.type === 'ArrayExpression' || declaration.type === 'CallExpression'
            ? declaration
            : null,
      };
    }
    const assigned =
      statement.type === 'TSExportAssignment'
        ? memberOf({ at: statement.start, value: statement.expression }, name, body)
        : findAssigned(statement, name, body);
    if (assigned !== null) return assigned;
  }
  return null;
}

/** `module.exports = { TOOL }`, `module.exports.TOOL = …`, `exports.TOOL = …`, also chained. */
function findAssigned(statement: Node, name: string, body: Statements): Found | null {
  if (statement.type !== 'ExpressionStatement') return null;
  for (let at: Expression = statement.expression; at.type === 'AssignmentExpression'; at = at.right) {
    const target = memberText(at.left);
    if (target === `exports.${name}` || target === `module.exports.${name}`) return { at: at.start, value: at.right };
    if (target === 'module.exports' && name === 'default') return { at: at.start, value: at.right };
    const member = target === 'module.exports' ? memberOf({ at: at.start, value: at.right }, name, body) : null;
    if (member !== null) return member;
  }
  return null;
}

function memberOf(owner: Found, name: string, body: Statements): Found | null {
  return step(follow(owner, body), name, body);
}

function memberText(node: Node): string {
  if (node.type === 'Identifier') return node.name;
  if (node.type !== 'MemberExpression' || node.computed || node.property.type !== 'Identifier') return '';
  return `${memberText(node.object)}.${node.property.name}`;
}

function findBinding(statements: readonly Node[], name: string): Found | null {
  for (const statement of statements) {
    const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (declaration === null) continue;
    if ((declaration.type === 'FunctionDeclaration' || declaration.type === 'ClassDeclaration') && declaration.id?.name === name)
      return { at: declaration.id.start, value: null };
    if (declaration.type !== 'VariableDeclaration') continue;
    for (const declared of declaration.declarations) {
      if (declared.id.type === 'Identifier' && declared.id.name === name) return { at: declared.id.start, value: declared.init };
    }
  }
  return null;
}

/** Unwraps an expression down to the object or list itself. */
function follow(found: Found, body: Statements): Found {
  let { at, value } = found;
  for (let steps = 0; value !== null && steps < STEPS_MOST; steps += 1) {
    if (value.type === 'Identifier') {
      const binding = findBinding(body, value.name);
      if (binding === null) return { at, value: null };
      ({ at, value } = binding);
    } else if (value.type === 'MemberExpression') {
      const key: Node = value.property;
      const name = key.type === 'Identifier' && !value.computed ? key.name : key.type === 'Literal' ? String(key.value) : null;
      const member = name === null || value.object.type === 'Super' ? null : memberOf({ at, value: value.object }, name, body);
      if (member === null) return { at, value: null };
      ({ at, value } = member);
    } else if (value.type === 'CallExpression' || value.type === 'NewExpression') {
      const inner = argumentOf(value);
      if (inner === null) return { at, value: null };
      value = inner;
    } else if (value.type === 'AwaitExpression') value = value.argument;
    else if (value.type === 'AssignmentExpression') value = value.right;
    else if (
      value.type === 'TSAsExpression' ||
      value.type === 'TSSatisfiesExpression' ||
      value.type === 'TSNonNullExpression' ||
      value.type === 'TSTypeAssertion' ||
      value.type === 'ParenthesizedExpression'
    )
      value = value.expression;
    else break;
  }
  return { at, value };
}

/** The list in `[…].map(f)`; else the first argument that may hold the value. */
function argumentOf(call: Extract<Expression, { type: 'CallExpression' | 'NewExpression' }>): Expression | null {
  const { callee } = call;
  if (
    callee.type === 'MemberExpression' &&
    callee.property.type === 'Identifier' &&
    callee.property.name === 'map' &&
    callee.object.type !== 'Super'
  )
    return callee.object;
  for (const argument of call.arguments) {
    if (argument.type === 'SpreadElement') return null;
    if (argument.type !== 'Literal' && argument.type !== 'ArrowFunctionExpression' && argument.type !== 'FunctionExpression')
      return argument;
  }
  return null;
}

function step(from: Found, key: string | number, body: Statements): Found | null {
  if (from.value?.type === 'ObjectExpression') return property(from.value.properties, String(key), body);
  if (from.value?.type === 'ArrayExpression') return element(from.value.elements, Number(key), body);
  return null;
}

/** The last property of a name wins; of spreads, the last that contains it. */
function property(properties: ObjectExpression['properties'], name: string, body: Statements): Found | null {
  for (const one of properties.toReversed()) {
    if (one.type === 'Property' && keyName(one) === name) return { at: one.start, value: one.value };
    if (one.type !== 'SpreadElement') continue;
    const spread = step(follow({ at: one.start, value: one.argument }, body), name, body);
    if (spread !== null) return spread;
  }
  return null;
}

function keyName(node: ObjectProperty): string | null {
  if (node.key.type === 'Literal') return String(node.key.value);
  return node.key.type === 'Identifier' && !node.computed ? node.key.name : null;
}

function element(elements: ArrayExpression['elements'], index: number, body: Statements): Found | null {
  let at = 0;
  for (const one of elements) {
    if (one?.type === 'SpreadElement') {
      const spread = follow({ at: one.start, value: one.argument }, body).value;
      if (spread?.type !== 'ArrayExpression') return { at: one.start, value: null };
      if (index < at + spread.elements.length) return element(spread.elements, index - at, body);
      at += spread.elements.length;
      continue;
    }
    if (at === index) return one === null ? null : { at: one.start, value: one };
    at += 1;
  }
  return null;
}

/**
 * The location of the import of a missing export of a package. Only Node reads packages, and it reports the name without a
 * location; the bundler has already checked the exports of relative files.
 * @param sources texts by path
 */
export function locateImported(sources: Readonly<Record<string, string>>, name: string): (SourcePlace & { readonly file: string }) | null {
  for (const [file, source] of Object.entries(sources)) {
    if (!source.includes('import') || !/\.[cm]?[jt]s$/.test(file)) continue;
    for (const statement of parseSource(file, source, { sourceType: 'unambiguous' })?.program.body ?? []) {
      if (statement.type !== 'ImportDeclaration' || statement.source.value.startsWith('.')) continue;
      const specifier = statement.specifiers.find((one) =>
        one.type === 'ImportSpecifier'
          ? (one.imported.type === 'Identifier' ? one.imported.name : one.imported.value) === name
          : one.type === 'ImportDefaultSpecifier' && name === 'default',
      );
      if (specifier !== undefined) return { file, ...placeAt(source, specifier.start) };
    }
  }
  return null;
}

/**
 * The location of a tool name in a Python source: its key or keyword, else the assignment of `TOOL` or `TOOLS`. For other
 * Python faults the child reports the location; only the host knows that a name is already in use.
 */
export function locateNameInPython(source: string, name: string): SourcePlace | null {
  const written = new RegExp(`(?:(["'])name\\1\\s*:|\\bname\\s*(?::\\s*str\\s*)?=)\\s*(["'])${name}\\2`).exec(source);
  const found = written ?? /^TOOLS?\b(?=[^=\n]*=)/m.exec(source);
  return found === null ? null : placeAt(source, found.index, PLAIN_LINE_END);
}

/** The function of a one-file tool. */
export function locateRunInPython(source: string): SourcePlace | null {
  const found = /^(?:async[ \t]+def|def|class)[ \t]+run\b|^run\b(?=[^=\n]*=)/m.exec(source);
  return found === null ? null : placeAt(source, found.index, PLAIN_LINE_END);
}

/**
 * The location of a thrown value that is not an error and has no stack. Null unless exactly one statement can have thrown it,
 * because a wrong location is worse than none.
 * @param sources texts by path
 * @param text the beginning of the thrown text; undefined without one
 */
export function locateThrown(
  sources: Readonly<Record<string, string>>,
  text: string | undefined,
): (SourcePlace & { readonly file: string }) | null {
  const found = Object.entries(sources).flatMap(([file, source]) =>
    source.includes('throw') && /\.[cm]?[jt]s$/.test(file)
      ? throwStatementsIn(parseSource(file, source, { sourceType: 'unambiguous' })?.program).map((one) => ({ ...one, file, source }))
      : [],
  );
  const [only, other] = found;
  if (only === undefined || other !== undefined) return null;
  if (only.literal !== null && !isBeginning(text, only.literal)) return null;
  return { file: only.file, ...placeAt(only.source, only.start) };
}

function isBeginning(text: string | undefined, of: string): boolean {
  return text === of || (text !== undefined && text !== '' && of.startsWith(text));
}

interface Throw {
  readonly start: number;
  /** The thrown value as a text; null when the statement does not show it. */
  readonly literal: string | null;
}

/** Iterative, because a long concatenation is nested as deep as it is long. */
function throwStatementsIn(program: unknown): readonly Throw[] {
  const found: Throw[] = [];
  const open: unknown[] = [program];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node !== 'object' || node === null) continue;
    for (const below of Object.values(node)) if (typeof below === 'object') open.push(below);
    if (fieldOf(node, 'type') !== 'ThrowStatement') continue;
    const argument = fieldOf(node, 'argument');
    const kind = fieldOf(argument, 'type');
    if (kind === 'NewExpression') continue;
    found.push({ start: Number(fieldOf(node, 'start')), literal: kind === 'Literal' ? String(fieldOf(argument, 'value')) : null });
  }
  return found;
}

function fieldOf(node: unknown, name: string): unknown {
  return typeof node === 'object' && node !== null ? Reflect.get(node, name) : undefined;
}
