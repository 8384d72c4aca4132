import { findNodeAtLocation, parseTree } from 'jsonc-parser';
import type { Node } from 'jsonc-parser';
import type { IssueMap } from '../issues.ts';
import type { JsonProblem } from '../json-text.ts';
import { partsOf } from '../pointer.ts';

/** A part of a text that is wrong, and why. */
export interface JsonFault {
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

/** Where a text cannot be read, or else where it is not what the tool takes. What is missing is told at the bracket around it. */
export function faultsOf(text: string, problem: JsonProblem | null, issues: IssueMap): readonly JsonFault[] {
  if (problem !== null) return [{ from: problem.offset, to: problem.offset + 1, message: problem.message }];
  const tree = parseTree(text);
  if (tree === undefined) return [];
  return [...issues].flatMap(([pointer, messages]) => {
    const { node, isWhole } = nodeFor(tree, partsOf(pointer));
    const to = isWhole && node.type !== 'object' && node.type !== 'array' ? node.offset + node.length : node.offset + 1;
    return messages.map((message) => ({ from: node.offset, to, message }));
  });
}

function nodeFor(tree: Node, parts: readonly string[]): { node: Node; isWhole: boolean } {
  let node = tree;
  for (const part of parts) {
    const next = findNodeAtLocation(node, [node.type === 'array' ? Number(part) : part]);
    if (next === undefined) return { node, isWhole: false };
    node = next;
  }
  return { node, isWhole: true };
}
