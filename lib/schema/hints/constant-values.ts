import type { Expression, TSEnumDeclaration } from 'oxc-parser';
import { keyName } from '../syntax-nodes.ts';
import { findDeclaration } from './declarations.ts';
import type { ModuleSource } from './declarations.ts';
import type { ModuleText } from './module-text.ts';

/** A constant value as JSON; null if it needs running the code or is not JSON. */
export interface Constant {
  readonly value: unknown;
}

/** Members of an enum before the one that is evaluated: its value may name them. */
interface EarlierMembers {
  readonly name: string;
  readonly values: ReadonlyMap<string, string | number>;
}

const STEPS_MOST = 5_000;

/** Evaluates literals, lists and objects of them, constants and enum members; never runs code. */
export function createConstantReader(source: ModuleSource) {
  let steps = 0;

  async function read(node: Expression, module: ModuleText): Promise<Constant | null> {
    steps = 0;
    return evaluate(node, module);
  }

  async function evaluate(node: Expression, module: ModuleText, earlier: EarlierMembers | null = null): Promise<Constant | null> {
    steps += 1;
    if (steps > STEPS_MOST) return null;
    switch (node.type) {
      case 'Literal':
        return node.value === null ? (node.raw === 'null' ? { value: null } : null) : readPlain(node.value);
      case 'TemplateLiteral':
        return evaluateTemplate(node, module, earlier);
      case 'UnaryExpression': {
        const inner = await evaluate(node.argument, module, earlier);
        if (typeof inner?.value !== 'number') return null;
        if (node.operator === '~') return { value: ~inner.value };
        return node.operator === '-' ? { value: -inner.value } : node.operator === '+' ? inner : null;
      }
      case 'BinaryExpression': {
        if (node.left.type === 'PrivateIdentifier') return null;
        const left = (await evaluate(node.left, module, earlier))?.value;
        const right = (await evaluate(node.right, module, earlier))?.value;
        if (typeof left === 'number' && typeof right === 'number') return calculate(node.operator, left, right);
        const isText = node.operator === '+' && [left, right].every((one) => typeof one === 'string' || typeof one === 'number');
        return isText ? { value: `${String(left)}${String(right)}` } : null;
      }
      case 'ArrayExpression': {
        const values: unknown[] = [];
        for (const element of node.elements) {
          const isSpread = element?.type === 'SpreadElement';
          const item = element === null ? null : await evaluate(isSpread ? element.argument : element, module);
          if (item === null) return null;
          const added: unknown = isSpread ? item.value : [item.value];
          if (!isList(added)) return null;
          values.push(...added);
        }
        return { value: values };
      }
      case 'ObjectExpression': {
        const entries: [string, unknown][] = [];
        for (const property of node.properties) {
          if (property.type === 'SpreadElement') {
            const value = (await evaluate(property.argument, module))?.value;
            if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
            entries.push(...Object.entries(value));
            continue;
          }
          const key = !property.computed ? keyName(property.key) : null;
          const item = key !== null && !property.method ? await evaluate(property.value, module) : null;
          if (key === null || item === null) return null;
          entries.push([key, item.value]);
        }
        return { value: Object.fromEntries(entries) };
      }
      case 'TSAsExpression':
      case 'TSSatisfiesExpression':
      case 'TSNonNullExpression':
      case 'TSTypeAssertion':
      case 'ParenthesizedExpression':
        return evaluate(node.expression, module, earlier);
      case 'Identifier': {
        const value = earlier?.values.get(node.name);
        if (value !== undefined) return { value };
        const found = await findDeclaration(source, module, node.name);
        if (found?.kind !== 'constant' || found.node.init === null || isReassigned(found.statement)) return null;
        return evaluate(found.node.init, found.module);
      }
      case 'MemberExpression':
        return evaluateMember(node, module, earlier);
      default:
        return null;
    }
  }

  async function evaluateTemplate(
    node: Extract<Expression, { type: 'TemplateLiteral' }>,
    module: ModuleText,
    earlier: EarlierMembers | null,
  ): Promise<Constant | null> {
    let text = '';
    for (const [index, quasi] of node.quasis.entries()) {
      text += quasi.value.cooked ?? '';
      const part = node.expressions[index];
      if (part === undefined) continue;
      const value = (await evaluate(part, module, earlier))?.value;
      if (typeof value !== 'string' && typeof value !== 'number') return null;
      text += String(value);
    }
    return { value: text };
  }

  async function evaluateMember(
    node: Extract<Expression, { type: 'MemberExpression' }>,
    module: ModuleText,
    earlier: EarlierMembers | null,
  ): Promise<Constant | null> {
    if (node.object.type === 'Super') return null;
    const key =
      node.property.type === 'Identifier' && !node.computed
        ? node.property.name
        : node.property.type === 'Literal'
          ? node.property.value
          : null;
    if (typeof key !== 'string' && typeof key !== 'number') return null;
    if (node.object.type === 'Identifier') {
      const own = earlier?.name === node.object.name ? earlier.values.get(String(key)) : undefined;
      if (own !== undefined) return { value: own };
      const found = await findDeclaration(source, module, node.object.name);
      if (found?.kind === 'enum') {
        const value = (await membersOf(found.node, found.module))?.get(String(key));
        return value === undefined ? null : { value };
      }
    }
    const owner = (await evaluate(node.object, module))?.value;
    return typeof owner === 'object' && owner !== null && Object.hasOwn(owner, key) ? { value: Reflect.get(owner, key) } : null;
  }

  /** Name → value in order; null if a value is not constant. */
  async function enumMembers(node: TSEnumDeclaration, module: ModuleText): Promise<ReadonlyMap<string, string | number> | null> {
    steps = 0;
    return membersOf(node, module);
  }

  async function membersOf(node: TSEnumDeclaration, module: ModuleText): Promise<ReadonlyMap<string, string | number> | null> {
    const members = new Map<string, string | number>();
    let next: number | null = 0;
    for (const member of node.body.members) {
      const name =
        member.id.type === 'Identifier'
          ? member.id.name
          : member.id.type === 'Literal'
            ? member.id.value
            : (member.id.quasis[0]?.value.cooked ?? '');
      let value: unknown = next;
      if (member.initializer !== null) value = (await evaluate(member.initializer, module, { name: node.id.name, values: members }))?.value;
      if (typeof value !== 'string' && typeof value !== 'number') return null;
      members.set(name, value);
      next = typeof value === 'number' ? value + 1 : null;
    }
    return members;
  }

  return { read, enumMembers };
}

export type ConstantReader = ReturnType<typeof createConstantReader>;

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function readPlain(value: unknown): Constant | null {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? { value } : null;
}

export function isReassigned(statement: { readonly type: string; readonly kind?: unknown; readonly declaration?: unknown }): boolean {
  if (statement.type === 'VariableDeclaration') return statement.kind !== 'const';
  const { declaration } = statement;
  return !(typeof declaration === 'object' && declaration !== null && 'kind' in declaration && declaration.kind === 'const');
}

function calculate(operator: string, left: number, right: number): Constant | null {
  switch (operator) {
    case '+':
      return { value: left + right };
    case '-':
      return { value: left - right };
    case '*':
      return { value: left * right };
    case '/':
      return { value: left / right };
    case '%':
      return { value: left % right };
    case '**':
      return { value: left ** right };
    case '&':
      return { value: left & right };
    case '^':
      return { value: left ^ right };
    case '>>':
      return { value: left >> right };
    case '>>>':
      return { value: left >>> right };
    case '<<':
      return { value: left << right };
    case '|':
      return { value: left | right };
    default:
      return null;
  }
}
