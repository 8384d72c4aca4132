import type {
  Class,
  Expression,
  Function as FunctionNode,
  ArrowFunctionExpression,
  Node,
  ParamPattern,
  TSTypeParameterDeclaration,
  TSTypeParameterInstantiation,
  TSType,
} from 'oxc-parser';
import { isNamed, keyName } from '../syntax-nodes.ts';
import { findDeclaration, findExported, typeNamed } from './declarations.ts';
import type { Found, ModuleSource } from './declarations.ts';
import type { ModuleText } from './module-text.ts';
import { memberPath } from './named-types.ts';

/** The exported function `run`, found without running the code. */
export interface RunFunction {
  readonly module: ModuleText;
  /** The statement that its doc comment precedes. */
  readonly statement: Node;
  readonly params: readonly ParamPattern[];
  readonly typeParameters: TSTypeParameterDeclaration | null;
  /** Declared function type of the constant: `const run: Handler = …`. */
  readonly declared: DeclaredFunction | null;
}

export interface DeclaredFunction {
  readonly params: readonly ParamPattern[];
  readonly module: ModuleText;
  /** Its type parameters, from the annotation of the constant to the function type: `Handler<Args>` has two steps. */
  readonly generics: readonly Generics[];
}

export interface Generics {
  readonly declared: TSTypeParameterDeclaration | null;
  readonly module: ModuleText;
  /** Types of the step before; null for those of the function type itself, which extend them. */
  readonly given: readonly TSType[] | null;
}

const STEPS_MOST = 10;

/** Null: not exported, or only known at run time. */
export async function findRun(source: ModuleSource, module: ModuleText): Promise<RunFunction | null> {
  return followRun(source, await findExported(source, module, 'run'), 0);
}

async function followRun(source: ModuleSource, found: Found | null, steps: number): Promise<RunFunction | null> {
  if (found === null || steps > STEPS_MOST) return null;
  if (found.kind === 'function') return functionOf(found.node, found.module, found.statement);
  if (found.kind === 'expression') return followExpression(source, found.node, found.module, found.statement, steps);
  if (found.kind !== 'constant') return null;
  const { id, init } = found.node;
  const run = init === null ? null : await followExpression(source, init, found.module, found.statement, steps);
  if (id.typeAnnotation == null) return run;
  const declared = await functionTypeOf(source, id.typeAnnotation.typeAnnotation, found.module);
  return run === null ? runOfType(declared, found) : { ...run, declared };
}

async function followExpression(
  source: ModuleSource,
  node: Expression,
  module: ModuleText,
  statement: Node,
  steps: number,
): Promise<RunFunction | null> {
  switch (node.type) {
    case 'ArrowFunctionExpression':
    case 'FunctionExpression':
      return functionOf(node, module, statement);
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
    case 'TSNonNullExpression':
    case 'ParenthesizedExpression': {
      const run = await followExpression(source, node.expression, module, statement, steps);
      if (!('typeAnnotation' in node)) return run;
      const declared = await functionTypeOf(source, node.typeAnnotation, module);
      return run === null ? runOfType(declared, { module, statement }) : { ...run, declared: run.declared ?? declared };
    }
    case 'Identifier':
      return followRun(source, await findDeclaration(source, module, node.name), steps + 1);
    case 'MemberExpression':
      return findMethod(source, node, module);
    case 'CallExpression': {
      // `client.search.bind(client)` has the parameters of the method.
      const { callee } = node;
      const isBound = callee.type === 'MemberExpression' && isNamed(callee.property, /^bind$/) && node.arguments.length === 1;
      return isBound && callee.object.type !== 'Super' ? followExpression(source, callee.object, module, statement, steps + 1) : null;
    }
    default:
      return null;
  }
}

/** `tools.search` of an object or of an instance, or a static method of a class. */
async function findMethod(
  source: ModuleSource,
  { object, property }: Extract<Expression, { type: 'MemberExpression' }>,
  module: ModuleText,
): Promise<RunFunction | null> {
  if (object.type !== 'Identifier' || property.type !== 'Identifier') return null;
  const found = await findDeclaration(source, module, object.name);
  if (found?.kind === 'class') return methodOf(found.node, property.name, true, found.module);
  const init = found?.kind === 'constant' ? found.node.init : null;
  if (found?.kind !== 'constant' || init === null) return null;
  if (init.type === 'NewExpression' && init.callee.type === 'Identifier') {
    const owner = await findDeclaration(source, found.module, init.callee.name);
    return owner?.kind === 'class' ? methodOf(owner.node, property.name, false, owner.module) : null;
  }
  for (const one of init.type === 'ObjectExpression' ? init.properties : []) {
    if (one.type !== 'Property' || one.computed || keyName(one.key) !== property.name) continue;
    const { value } = one;
    if (value.type === 'FunctionExpression' || value.type === 'ArrowFunctionExpression') return functionOf(value, found.module, one);
  }
  return null;
}

function methodOf(owner: Class, name: string, isStatic: boolean, module: ModuleText): RunFunction | null {
  for (const member of owner.body.body) {
    if ((member.type !== 'MethodDefinition' && member.type !== 'PropertyDefinition') || member.static !== isStatic || member.computed)
      continue;
    const { key, value } = member;
    const isFunction = value?.type === 'FunctionExpression' || value?.type === 'ArrowFunctionExpression';
    if (isFunction && keyName(key) === name) return functionOf(value, module, member);
  }
  return null;
}

/** For the result of a call, such as `wrap(…)`, the declared type has the parameters. */
function runOfType(
  declared: DeclaredFunction | null,
  { module, statement }: Pick<RunFunction, 'module' | 'statement'>,
): RunFunction | null {
  return declared === null ? null : { module, statement, params: declared.params, typeParameters: null, declared };
}

function functionOf(node: FunctionNode | ArrowFunctionExpression, module: ModuleText, statement: Node): RunFunction {
  return { module, statement, params: node.params, typeParameters: node.typeParameters ?? null, declared: null };
}

async function functionTypeOf(
  source: ModuleSource,
  type: Node,
  module: ModuleText,
  generics: readonly Generics[] = [],
): Promise<DeclaredFunction | null> {
  const inner = (
    declared: TSTypeParameterDeclaration | null | undefined,
    from: ModuleText,
    given: readonly TSType[] | null,
  ): readonly Generics[] => [...generics, { declared: declared ?? null, module: from, given }];
  if (type.type === 'TSFunctionType') return { params: type.params, module, generics: inner(type.typeParameters, module, null) };
  if (type.type === 'TSTypeQuery' && type.exprName.type === 'Identifier') {
    const found = await findDeclaration(source, module, type.exprName.name);
    return found?.kind === 'function'
      ? { params: found.node.params, module: found.module, generics: inner(found.node.typeParameters, found.module, []) }
      : null;
  }
  if (type.type !== 'TSTypeReference' || type.typeName.type !== 'Identifier' || generics.length > STEPS_MOST) return null;
  const given = type.typeArguments?.params ?? [];
  const found = typeNamed(await findDeclaration(source, module, type.typeName.name), type.typeName.name);
  if (found?.kind === 'alias') {
    const { node } = found;
    return functionTypeOf(source, node.typeAnnotation, found.module, inner(node.typeParameters, found.module, given));
  }
  const part = found?.kind === 'interface' ? found.parts[0] : undefined;
  const [call] = part?.body.body ?? [];
  return call?.type === 'TSCallSignatureDeclaration' && found?.kind === 'interface'
    ? { params: call.params, module: found.module, generics: inner(part?.typeParameters, found.module, given) }
    : null;
}

/** A parameter of `run`: its binding, type and default. */
export interface WrittenParameter {
  /** Without its default. */
  readonly target: Node;
  readonly hint: TypeHint | null;
  readonly otherwise: Expression | null;
  readonly isOptional: boolean;
}

export interface TypeHint {
  readonly type: TSType;
  readonly module: ModuleText;
  /** If it is part of a declared function type. */
  readonly generics?: readonly Generics[];
}

/** In order, without a `this` parameter. */
export function writtenParameters(run: RunFunction): readonly WrittenParameter[] {
  const isThis = (param: ParamPattern): boolean => param.type === 'Identifier' && param.name === 'this';
  const declared = run.declared?.params.filter((param) => !isThis(param)) ?? [];
  return run.params
    .filter((param) => !isThis(param))
    .map((param, index) => {
      const { target, otherwise } = splitDefault(param);
      // If only a declared function type has the parameters, its module is their scope.
      const own = run.params === run.declared?.params ? null : annotationOf(target);
      const other = declared[index] === undefined ? null : splitDefault(declared[index]).target;
      const otherType = other === null ? null : annotationOf(other);
      const hint =
        own !== null
          ? { type: own, module: run.module }
          : otherType !== null && run.declared !== null
            ? { type: otherType, module: run.declared.module, generics: run.declared.generics }
            : null;
      return {
        target,
        hint,
        otherwise,
        isOptional: otherwise !== null || isMarkedOptional(target) || (other !== null && isMarkedOptional(other)),
      };
    });
}

export function splitDefault(param: Node): { readonly target: Node; readonly otherwise: Expression | null } {
  if (param.type === 'TSParameterProperty') return { target: param.parameter, otherwise: null };
  return param.type === 'AssignmentPattern' ? { target: param.left, otherwise: param.right } : { target: param, otherwise: null };
}

export function annotationOf(target: Node): TSType | null {
  const annotated =
    target.type === 'Identifier' || target.type === 'ObjectPattern' || target.type === 'ArrayPattern' || target.type === 'RestElement';
  return annotated ? (target.typeAnnotation?.typeAnnotation ?? null) : null;
}

export function isMarkedOptional(target: Node): boolean {
  return 'optional' in target && target.optional === true;
}

/** Built-in types of a context that still accept it. */
const OF_CONTEXT = /^(?:Readonly|Partial|Required|Pick|Omit|NonNullable)$/;

/**
 * Whether a type accepts the `ToolContext` of 'switchboard' and nothing else: also renamed, extended, optional or a part of it.
 * An undeclared `ToolContext` counts.
 */
export async function isContextType(source: ModuleSource, { type, module }: TypeHint, steps = 0): Promise<boolean> {
  if (steps > STEPS_MOST) return false;
  const follow = (inner: TSType): Promise<boolean> => isContextType(source, { type: inner, module }, steps + 1);
  if (type.type === 'TSParenthesizedType') return follow(type.typeAnnotation);
  if (type.type === 'TSUnionType' || type.type === 'TSIntersectionType') {
    const members = type.types.filter((one) => !['TSUndefinedKeyword', 'TSNullKeyword', 'TSVoidKeyword'].includes(one.type));
    // In a union each member is the context, in an intersection one.
    const isUnion = type.type === 'TSUnionType';
    for (const one of members) if ((await follow(one)) !== isUnion) return !isUnion;
    return isUnion && members.length > 0;
  }
  if (type.type === 'TSImportType') {
    const { qualifier } = type;
    return type.source.value === 'switchboard' && qualifier?.type === 'Identifier' && qualifier.name === 'ToolContext';
  }
  if (type.type !== 'TSTypeReference') return false;
  return isContextName(source, module, memberPath(type.typeName), type.typeArguments, steps);
}

async function isContextName(
  source: ModuleSource,
  module: ModuleText,
  [name = '', member]: readonly string[],
  given: TSTypeParameterInstantiation | null,
  steps: number,
): Promise<boolean> {
  const found = typeNamed(await findDeclaration(source, module, name), name);
  if (found?.kind === 'outside') return found.specifier === 'switchboard' && (member ?? found.name) === 'ToolContext';
  if (member !== undefined) return false;
  if (found?.kind === 'alias') return isContextType(source, { type: found.node.typeAnnotation, module: found.module }, steps + 1);
  if (found?.kind === 'interface') {
    if (steps > STEPS_MOST) return false;
    const bases = found.parts.flatMap((part) => part.extends);
    const isContext = await Promise.all(
      bases.map((base) => isContextName(source, found.module, memberPath(base.expression), base.typeArguments, steps + 1)),
    );
    return isContext.some(Boolean);
  }
  const [first] = given?.params ?? [];
  if (found === null && first !== undefined && OF_CONTEXT.test(name)) return isContextType(source, { type: first, module }, steps + 1);
  return found === null && name === 'ToolContext';
}
