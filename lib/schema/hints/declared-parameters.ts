import type { Node, ParamPattern } from 'oxc-parser';
import { docParameters, parseDoc, splitType } from './doc-comment.ts';
import type { DocComment, DocParameter } from './doc-comment.ts';
import type { RunFunction } from './find-run.ts';
import { parseDocType } from './jsdoc-types.ts';
import type { ModuleText } from './module-text.ts';
import { annotationOf, isMarkedOptional, takeDefault } from './written-parameter.ts';

/**
 * What the doc comment of `run` says of its parameters: its `@param` lines, and in JavaScript also the function type behind its
 * `@type`, written out there or in a `@callback` or `@typedef` of the same file. That one has the types in the order of the
 * parameters, whatever it calls them; what a `@param` line says of one counts first.
 */
export function runDocParameters(run: RunFunction, doc: DocComment): readonly DocParameter[] {
  const own = docParameters(doc);
  const written = run.module.isJavaScript ? doc.tags.find(({ name }) => name === 'type') : undefined;
  const type = written === undefined ? null : splitType(written.text).type;
  const declared = type === null ? null : parametersOfType(run.module, type);
  if (declared === null) return own;
  const ordered = declared.slice(0, run.params.length).map((one, index): DocParameter => {
    const name = nameOf(run.params[index]) ?? one.name;
    const said = own.find((param) => param.name === name);
    return {
      ...one,
      ...said,
      name,
      type: said?.type ?? one.type,
      text: said?.text || one.text,
      isOptional: said?.isOptional === true || one.isOptional,
    };
  });
  return [...ordered, ...own.filter(({ name }) => !ordered.some((one) => one.name === name))];
}

/** Null: it is no function type that this file shows. */
function parametersOfType(module: ModuleText, type: string): readonly DocParameter[] | null {
  const parsed = parseDocType(type);
  if (parsed === null) return null;
  const { node, text } = parsed;
  if (node.type === 'TSFunctionType') return node.params.map((param, index) => ofParameter(param, index, text));
  return node.type === 'TSTypeReference' && node.typeName.type === 'Identifier' ? parametersOfName(module, node.typeName.name) : null;
}

function parametersOfName(module: ModuleText, name: string): readonly DocParameter[] | null {
  for (const { type, value, start } of module.comments) {
    if (type !== 'Block' || !/@(?:callback|typedef)\b/.test(value)) continue;
    const doc = parseDoc(value, start);
    for (const tag of doc.tags) {
      const { type: written, rest } = splitType(tag.text);
      if (/^[\w$]+/.exec(rest)?.[0] !== name) continue;
      if (tag.name === 'callback') return docParameters(doc).filter((param) => !param.name.includes('.'));
      if (tag.name === 'typedef' && written !== null) return functionOf(written);
    }
  }
  return null;
}

function functionOf(type: string): readonly DocParameter[] | null {
  const parsed = parseDocType(type);
  return parsed?.node.type === 'TSFunctionType' ? parsed.node.params.map((param, index) => ofParameter(param, index, parsed.text)) : null;
}

function ofParameter(param: ParamPattern, index: number, text: string): DocParameter {
  const { target } = takeDefault(param);
  const annotation = annotationOf(target);
  const isRest = target.type === 'RestElement';
  const shown = isRest ? (annotation?.type === 'TSArrayType' ? annotation.elementType : null) : annotation;
  return {
    name: nameOf(param) ?? `${index}`,
    type: shown === null ? null : `${isRest ? '...' : ''}${text.slice(shown.start, shown.end)}`,
    isOptional: isMarkedOptional(target),
    defaultText: null,
    text: '',
  };
}

/** Null for what is taken apart. */
function nameOf(param: ParamPattern | undefined): string | null {
  const target: Node | null = param === undefined ? null : takeDefault(param).target;
  const named = target?.type === 'RestElement' ? target.argument : target;
  return named?.type === 'Identifier' ? named.name : null;
}
