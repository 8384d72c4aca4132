import { isMultiple } from '#lib/contract/multiple-of.ts';
import { fitsPattern } from '#lib/contract/quick-pattern.ts';
import { referenced } from '#lib/contract/schema-reference.ts';
import { isJsonObject } from './json-text.ts';
import { sameJson } from './same-json.ts';
import { listOf, nodeOf } from './schema-node.ts';
import type { SchemaNode } from './schema-node.ts';

const MOST_STEPS = 500;

/** What may stand in a condition without changing what it says. */
const WORDS_ONLY = new Set(['title', 'description', '$comment', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly']);

/**
 * Whether a value fits the schema of an `if`: true, false, or null where a form cannot tell. Only the form asks, to decide which
 * fields to show; whether the arguments are right is decided by the tool's own schema, in a worker.
 */
export function holds(schema: unknown, value: unknown, root: SchemaNode): boolean | null {
  const budget = { left: MOST_STEPS };
  return judge(schema, value === undefined ? {} : value, root, budget);
}

/**
 * The names without which the verdict would be open: it stands because they are not sent, not because of what is. A condition
 * speaks only of what is there, so that `{"properties": {"kind": {"const": "x"}}}` holds before there is any kind.
 */
export function missedBy(schema: unknown, value: unknown, root: SchemaNode): readonly string[] {
  const missed = new Set<string>();
  const verdict = judge(schema, value === undefined ? {} : value, root, { left: MOST_STEPS, missed });
  return verdict === null ? [...missed] : [];
}

type Verdict = boolean | null;

interface Budget {
  left: number;
  /** Given: what depends on a name that is missing cannot be told, and the name is put in here. */
  readonly missed?: Set<string>;
}

function judge(schema: unknown, value: unknown, root: SchemaNode, budget: Budget): Verdict {
  budget.left -= 1;
  if (budget.left < 0) return null;
  if (typeof schema === 'boolean') return schema;
  const node = nodeOf(schema);
  return all(Object.entries(node).map(([word, says]) => judgeWord(word, says, node, value, root, budget)));
}

function judgeWord(word: string, says: unknown, node: SchemaNode, value: unknown, root: SchemaNode, budget: Budget): Verdict {
  // Only of names of this very value is told that they are missing.
  const again = (schema: unknown, part: unknown) => (part === value ? judge(schema, part, root, budget) : within(schema, part));
  const within = (schema: unknown, part: unknown) => {
    const inner = { left: budget.left };
    const verdict = judge(schema, part, root, inner);
    budget.left = inner.left;
    return verdict;
  };
  const miss = (name: string, verdict: boolean) => {
    if (budget.missed === undefined) return verdict;
    budget.missed.add(name);
    return null;
  };
  switch (word) {
    case '$ref':
    case '$dynamicRef': {
      const target = typeof says === 'string' ? referenced(root, says) : null;
      return target === null ? null : again(target, value);
    }
    case 'const':
      return sameJson(says, value);
    case 'enum':
      return listOf(says).some((each) => sameJson(each, value));
    case 'type':
      return (Array.isArray(says) ? says : [says]).some((type) => isOfType(value, type));
    case 'required':
      return isJsonObject(value)
        ? all(listOf(says).map((name) => typeof name === 'string' && (Object.hasOwn(value, name) || miss(name, false))))
        : true;
    case 'properties':
      return isJsonObject(value)
        ? all(
            Object.entries(nodeOf(says)).map(([name, part]) =>
              Object.hasOwn(value, name) ? within(part, value[name]) : asksNothing(part) || miss(name, true),
            ),
          )
        : true;
    case 'items':
      return Array.isArray(value) ? (Array.isArray(says) ? null : all(value.map((item) => again(says, item)))) : true;
    case 'contains':
      return Array.isArray(value) ? any(value.map((item) => again(says, item))) : true;
    case 'not':
      return opposite(again(says, value));
    case 'allOf':
      return all(listOf(says).map((part) => again(part, value)));
    case 'anyOf':
      return any(listOf(says).map((part) => again(part, value)));
    case 'oneOf': {
      const verdicts = listOf(says).map((part) => again(part, value));
      return verdicts.includes(null) ? null : verdicts.filter((verdict) => verdict === true).length === 1;
    }
    case 'pattern':
      return typeof value === 'string' ? fitsPattern(says, value) : true;
    default:
      return judgeSize(word, says, value);
  }
}

function asksNothing(schema: unknown): boolean {
  return schema === true || (isJsonObject(schema) && Object.keys(schema).every((word) => WORDS_ONLY.has(word)));
}

function judgeSize(word: string, says: unknown, value: unknown): Verdict {
  if (WORDS_ONLY.has(word)) return true;
  if (typeof says !== 'number') return null;
  const size = Array.isArray(value)
    ? value.length
    : typeof value === 'string'
      ? lengthOf(value)
      : isJsonObject(value)
        ? Object.keys(value).length
        : null;
  const kind = Array.isArray(value) ? 'Items' : typeof value === 'string' ? 'Length' : 'Properties';
  if (word === `min${kind}`) return size === null || size >= says;
  if (word === `max${kind}`) return size === null || size <= says;
  if (/^(?:min|max)(?:Items|Length|Properties)$/.test(word)) return true;
  if (!['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'].includes(word)) return null;
  if (typeof value !== 'number') return true;
  if (word === 'minimum') return value >= says;
  if (word === 'maximum') return value <= says;
  if (word === 'exclusiveMinimum') return value > says;
  return word === 'exclusiveMaximum' ? value < says : isMultiple(value, says);
}

function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function all(verdicts: readonly Verdict[]): Verdict {
  return verdicts.includes(false) ? false : verdicts.includes(null) ? null : true;
}

function any(verdicts: readonly Verdict[]): Verdict {
  return verdicts.includes(true) ? true : verdicts.includes(null) ? null : false;
}

function opposite(verdict: Verdict): Verdict {
  return verdict === null ? null : !verdict;
}

/** JSON Schema counts characters, not the halves that JavaScript makes of some. */
function lengthOf(text: string): number {
  return text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);
}
