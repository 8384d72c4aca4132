import { findNodeAtLocation, getNodeValue, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { Node, ParseError } from 'jsonc-parser';
import { withoutMark } from '#lib/contract/byte-order-mark.ts';
import type { RawFailure } from '#lib/runtime/runtime.ts';

/** Both count from 1. */
export interface JsonPlace {
  readonly line: number;
  readonly column: number;
}

export type JsonSource =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly failure: Pick<RawFailure, 'code' | 'message' | 'hint' | 'line' | 'column'> };

const OPTIONS = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false } as const;

const WORDS: Readonly<Record<string, string>> = {
  InvalidSymbol: 'this is no value of JSON; texts and names need double quotes',
  InvalidNumberFormat: 'this is not a number',
  PropertyNameExpected: 'the name of a property in double quotes is missing, or there is a comma too many before it',
  ValueExpected: 'a value is missing, or there is a comma too many before it',
  ColonExpected: 'a colon is missing',
  CommaExpected: 'a comma is missing',
  CloseBraceExpected: 'a closing brace } is missing',
  CloseBracketExpected: 'a closing bracket ] is missing',
  EndOfFileExpected: 'there is more text after the end of the value',
  InvalidCommentToken: 'JSON has no comments',
  UnexpectedEndOfComment: 'JSON has no comments',
  UnexpectedEndOfString: 'a text begins here and its closing quote is missing',
};

/** The value of a JSON text, or its first error and the location. */
export function parseJsonSource(text: string): JsonSource {
  const errors: ParseError[] = [];
  const json = withoutMark(text);
  const tree = parseTree(json, errors, OPTIONS);
  const [first] = errors;
  if (first === undefined && tree !== undefined) return { ok: true, value: getNodeValue(tree) as unknown };
  const name = first === undefined ? 'ValueExpected' : printParseErrorCode(first.error);
  const words = json.trim() === '' ? 'it is empty' : (WORDS[name] ?? name);
  return {
    ok: false,
    failure: {
      code: 'syntax_error',
      message: `The file is not JSON: ${words}.`,
      hint: 'Fix it at the marked line and save. The file is reloaded automatically.',
      ...placeAt(json, first?.offset ?? 0),
    },
  };
}

/**
 * The location of the value at `path`, at its name where it has one; the nearest enclosing value when the path is
 * missing.
 */
export function locateInJson(text: string, path: readonly (string | number)[]): JsonPlace | null {
  const json = withoutMark(text);
  const tree = parseTree(json, [], OPTIONS);
  if (tree === undefined) return null;
  for (let length = path.length; length >= 0; length -= 1) {
    const found = findNodeAtLocation(tree, path.slice(0, length));
    if (found !== undefined) return placeAt(json, startOf(found));
  }
  return null;
}

/** Duplicate names in the object at `path`; JSON would use the last of each. */
export function repeatedNames(text: string, path: readonly string[]): readonly string[] {
  const tree = parseTree(withoutMark(text), [], OPTIONS);
  const found = tree === undefined ? undefined : findNodeAtLocation(tree, [...path]);
  const names = (found?.children ?? []).map((property) => String(property.children?.[0]?.value));
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
}

function startOf(node: Node): number {
  return node.parent?.type === 'property' ? node.parent.offset : node.offset;
}

function placeAt(text: string, offset: number): JsonPlace {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
