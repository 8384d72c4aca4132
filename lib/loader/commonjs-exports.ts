import { parseSource } from '#lib/schema/parse-source.ts';
import type { Expression, Node } from 'oxc-parser';

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
export function commonjsExports(path: string, source: string): readonly string[] {
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
