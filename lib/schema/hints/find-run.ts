import type {
  Expression,
  Function as FunctionNode,
  ArrowFunctionExpression,
  Node,
  ParamPattern,
  TSTypeParameterDeclaration,
} from 'oxc-parser';
import { findDeclaration, findExported } from './declarations.ts';
import type { Found, ModuleSource } from './declarations.ts';
import type { ModuleText } from './module-text.ts';

/** The exported function `run`, found without running the code. */
export interface RunFunction {
  readonly module: ModuleText;
  /** The statement that its doc comment precedes. */
  readonly statement: Node;
  readonly params: readonly ParamPattern[];
  readonly typeParameters: TSTypeParameterDeclaration | null;
  /** Declared function type of the constant: `const run: Handler = …`. */
  readonly declared: { readonly params: readonly ParamPattern[]; readonly module: ModuleText } | null;
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
    default:
      return null;
  }
}

/** For the result of a call, such as `wrap(…)`, the declared type has the parameters. */
function runOfType(
  declared: RunFunction['declared'],
  { module, statement }: Pick<RunFunction, 'module' | 'statement'>,
): RunFunction | null {
  return declared === null ? null : { module, statement, params: declared.params, typeParameters: null, declared };
}

function functionOf(node: FunctionNode | ArrowFunctionExpression, module: ModuleText, statement: Node): RunFunction {
  return { module, statement, params: node.params, typeParameters: node.typeParameters ?? null, declared: null };
}

async function functionTypeOf(source: ModuleSource, type: Node, module: ModuleText): Promise<RunFunction['declared']> {
  if (type.type === 'TSFunctionType') return { params: type.params, module };
  if (type.type !== 'TSTypeReference' || type.typeName.type !== 'Identifier') return null;
  const found = await findDeclaration(source, module, type.typeName.name);
  if (found?.kind === 'alias') return functionTypeOf(source, found.node.typeAnnotation, found.module);
  const [call] = found?.kind === 'interface' ? (found.parts[0]?.body.body ?? []) : [];
  return call?.type === 'TSCallSignatureDeclaration' && found?.kind === 'interface' ? { params: call.params, module: found.module } : null;
}
