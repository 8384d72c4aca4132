import { docProperties, parseDoc, splitType } from './doc-comment.ts';
import type { DocComment } from './doc-comment.ts';
import { parseDocType } from './jsdoc-types.ts';
import type { ModuleText } from './module-text.ts';
import { ANY, objectOf } from './schema-node.ts';
import type { ObjectProperty, SchemaNode } from './schema-node.ts';
import type { Span, TypeScope, TypeWork } from './type-work.ts';

/** A type that JavaScript declares in a comment: `@typedef {Object} Name` with `@property` lines, or `@typedef {type} Name`. */
interface Typedef {
  readonly doc: DocComment;
  readonly type: string | null;
}

function findTypedef(module: ModuleText, name: string): Typedef | null {
  for (const { type, value, start } of module.comments) {
    if (type !== 'Block' || !value.includes('@typedef')) continue;
    const doc = parseDoc(value, start);
    for (const tag of doc.tags) {
      const { type: written, rest } = splitType(tag.text);
      if (tag.name === 'typedef' && /^[\w$]+/.exec(rest)?.[0] === name) return { doc, type: written };
    }
  }
  return null;
}

export function hasTypedef(name: string, { module }: TypeScope): boolean {
  return module.isJavaScript && findTypedef(module, name) !== null;
}

/** Null: no comment declares this name. */
export async function readTypedef(work: TypeWork, name: string, node: Span, scope: TypeScope): Promise<SchemaNode | null> {
  const found = scope.module.isJavaScript ? findTypedef(scope.module, name) : null;
  if (found === null) return null;
  const { doc } = found;
  const described = doc.text === '' ? {} : { description: doc.text };
  const read = (type: string): Promise<SchemaNode> => {
    const parsed = parseDocType(type);
    if (parsed === null)
      throw work.fault(node, scope, `is declared as \`${type}\`, which cannot be read`, 'Write the type as in TypeScript.');
    return work.read(parsed.node, { ...scope, text: parsed.text, fixedOffset: doc.offset });
  };
  const parts = docProperties(doc);
  if (found.type !== null && (parts.length === 0 || !/^object$/i.test(found.type))) return { ...(await read(found.type)), ...described };
  const properties: ObjectProperty[] = [];
  for (const part of parts) {
    const schema = part.type === null ? ANY : await read(part.type);
    properties.push({
      name: part.name,
      schema: part.text === '' ? schema : { ...schema, description: part.text },
      isRequired: !part.isOptional,
    });
  }
  return { ...objectOf(properties), ...described };
}
