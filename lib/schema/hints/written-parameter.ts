import type { Expression, Node, ParamPattern, TSType } from 'oxc-parser';
import { findDeclaration } from './declarations.ts';
import type { ModuleSource } from './declarations.ts';
import type { RunFunction } from './find-run.ts';
import type { ModuleText } from './module-text.ts';
import { memberPath } from './named-types.ts';

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
}

/** In order, without a `this` parameter. */
export function writtenParameters(run: RunFunction): readonly WrittenParameter[] {
  const isThis = (param: ParamPattern): boolean => param.type === 'Identifier' && param.name === 'this';
  const declared = run.declared?.params.filter((param) => !isThis(param)) ?? [];
  return run.params
    .filter((param) => !isThis(param))
    .map((param, index) => {
      const { target, otherwise } = takeDefault(param);
      // If only a declared function type has the parameters, its module is their scope.
      const own = run.params === run.declared?.params ? null : annotationOf(target);
      const other = declared[index] === undefined ? null : takeDefault(declared[index]).target;
      const otherType = other === null ? null : annotationOf(other);
      const hint =
        own !== null
          ? { type: own, module: run.module }
          : otherType !== null && run.declared !== null
            ? { type: otherType, module: run.declared.module }
            : null;
      return {
        target,
        hint,
        otherwise,
        isOptional: otherwise !== null || isMarkedOptional(target) || (other !== null && isMarkedOptional(other)),
      };
    });
}

export function takeDefault(param: Node): { readonly target: Node; readonly otherwise: Expression | null } {
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

/** Whether a type is the `ToolContext` of 'switchboard', also renamed. An undeclared `ToolContext` counts. */
export async function isContextType(source: ModuleSource, { type, module }: TypeHint): Promise<boolean> {
  if (type.type === 'TSImportType') {
    const { qualifier } = type;
    return type.source.value === 'switchboard' && qualifier?.type === 'Identifier' && qualifier.name === 'ToolContext';
  }
  if (type.type !== 'TSTypeReference') return false;
  const [name = '', member] = memberPath(type.typeName);
  const found = await findDeclaration(source, module, name);
  if (found?.kind === 'outside') return found.specifier === 'switchboard' && (member ?? found.name) === 'ToolContext';
  return found === null && member === undefined && name === 'ToolContext';
}
