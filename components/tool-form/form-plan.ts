import type { RJSFSchema } from '@rjsf/utils';
import type { Choice, Control, FieldPlan, UnionOption } from './field-plan.ts';
import { withPlan } from './field-plan.ts';
import { isJsonObject } from './json-text.ts';
import { limitsInWords, listOf, merged, nodeOf, numberOf, referenced, textOf, typesOf } from './schema-node.ts';
import type { SchemaNode } from './schema-node.ts';
import { stringLook } from './string-look.ts';

/*
 * From a tool's schema to the schema that the form is built from. The two differ on purpose:
 * - the form's knows nothing that would make the form library fill in, drop or convert values (defaults, references,
 *   unions, null types): a value is in the payload because a person put it there, and for no other reason;
 * - what a form cannot show faithfully (tuples, patterns of names, references to themselves, any JSON) becomes one JSON
 *   editor for that part, with the reason in words;
 * - rules that span fields (if, dependencies, not, "one of these is required") are no part of it: the tool's own schema
 *   is what the payload is checked against.
 * The schema is foreign: its depth and size are bounded here.
 */
const DEEPEST = 10;
const MOST_NODES = 800;
const MOST_OPTIONS = 12;

const PLAIN: FieldPlan = {
  control: 'json',
  title: null,
  description: null,
  deprecated: false,
  nullable: false,
  fallback: null,
  emptyText: false,
  limits: null,
  placeholder: null,
  keyboard: 'text',
  step: null,
  choices: [],
  options: [],
  values: null,
  required: [],
  why: null,
};

interface Walk {
  readonly root: SchemaNode;
  nodes: number;
}

/** The form's own schema for a tool's parameters. */
export function planForm(parameters: Readonly<Record<string, unknown>>): RJSFSchema {
  const walk: Walk = { root: parameters, nodes: 0 };
  const planned = planNode({ ...parameters, type: 'object' }, walk, [], 0);
  return planned;
}

function planNode(schema: unknown, walk: Walk, references: readonly string[], depth: number): RJSFSchema {
  walk.nodes += 1;
  if (schema === false) return asJson({}, 'No value is allowed here.');
  let node = nodeOf(schema);
  if (walk.nodes > MOST_NODES || depth > DEEPEST) return asJson(node, 'This part of the schema is too large for a form.');

  const reference = node['$ref'];
  if (typeof reference === 'string') {
    if (references.includes(reference)) return asJson(node, 'This part may contain itself, as deep as you like.');
    const target = referenced(walk.root, reference);
    if (target === null) return asJson(node, `The schema refers to ${reference}, which is not in it.`);
    const { $ref: _reference, ...rest } = node;
    return planNode({ ...target, ...rest }, walk, [...references, reference], depth);
  }

  const parts = listOf(node['allOf']).map((part) => resolved(part, walk.root));
  if (parts.length > 0) {
    const { allOf: _parts, ...rest } = node;
    const sum = parts.some(hasConditions) ? null : merged(rest, parts);
    if (sum === null && depth > 0) return asJson(node, 'Several rules apply to this value at once.');
    node = sum ?? rest;
  }

  const options = listOf(node['oneOf']).length > 0 ? listOf(node['oneOf']) : listOf(node['anyOf']);
  if (options.length > 0) {
    const union = planUnion(node, options, walk, references, depth);
    if (union !== null) return union;
  }
  return planTyped(node, walk, references, depth);
}

/** A value with several forms. Null when the options only add rules to what the schema says anyway. */
function planUnion(node: SchemaNode, all: readonly unknown[], walk: Walk, references: readonly string[], depth: number): RJSFSchema | null {
  const { oneOf: _one, anyOf: _any, ...rest } = node;
  const options = all.map((option) => resolved(option, walk.root));
  if (isJsonObject(node['properties']) || options.every(addsOnlyRules)) return null;
  const nullable = options.some((option) => option['type'] === 'null') || typesOf(node).nullable;
  const real = options.filter((option) => option['type'] !== 'null');
  const only = real[0];
  if (real.length === 1 && only !== undefined) return planNode({ ...only, ...rest, nullable }, walk, references, depth);

  const constants = real.flatMap(constantsOf);
  if (real.every((option) => constantsOf(option).length > 0)) return choice(rest, constants, nullable);
  if (real.length > MOST_OPTIONS) return asJson(node, `This value may have ${real.length} different forms.`, nullable);
  const inherited = typeof node['type'] === 'string' ? { type: node['type'] } : {};
  const planned = listOf(all)
    .filter((option) => resolved(option, walk.root)['type'] !== 'null')
    .map((option): UnionOption => ({
      title: optionTitle(resolved(option, walk.root)),
      schema: planNode({ ...inherited, ...nodeOf(option) }, walk, references, depth + 1),
    }));
  return withPlan({}, { ...PLAIN, ...wordsOf(rest), control: 'union', nullable, options: planned });
}

function planTyped(node: SchemaNode, walk: Walk, references: readonly string[], depth: number): RJSFSchema {
  const { types, nullable } = typesOf(node);
  const constants = constantsOf(node);
  if (constants.length > 0)
    return choice(
      node,
      constants.filter((one) => one.value !== null || !nullable),
      nullable,
    );
  if (types.length === 0) {
    if (nullable) return choice(node, [{ value: null, label: 'null' }], false);
    return asJson(node, 'Any JSON value is accepted.');
  }
  if (types.length > 1) {
    const options = types.map((type): UnionOption => ({
      title: TYPE_WORDS[type] ?? type,
      schema: planNode({ ...withoutWords(node), type }, walk, references, depth + 1),
    }));
    return withPlan({}, { ...PLAIN, ...wordsOf(node), control: 'union', nullable, options });
  }
  const type = types[0] ?? 'string';
  const plan: FieldPlan = { ...PLAIN, ...wordsOf(node), nullable, limits: limitsInWords(node, type) };
  switch (type) {
    case 'string':
      return withPlan({ type: 'string' }, { ...plan, ...stringLook(node) });
    case 'integer':
    case 'number':
      return withPlan(
        { type },
        { ...plan, control: type, keyboard: type === 'integer' ? 'numeric' : 'decimal', step: numberOf(node['multipleOf']) },
      );
    case 'boolean':
      return withPlan({ type: 'boolean' }, { ...plan, control: 'boolean' });
    case 'array':
      return planArray(node, plan, walk, references, depth);
    case 'object':
      return planObject(node, plan, walk, references, depth);
    default:
      return asJson(node, `The form does not know the type "${type}".`, nullable);
  }
}

function planArray(node: SchemaNode, plan: FieldPlan, walk: Walk, references: readonly string[], depth: number): RJSFSchema {
  if (Array.isArray(node['prefixItems']) || Array.isArray(node['items']))
    return asJson(node, 'Each place in this list has a kind of its own.', plan.nullable);
  const item = resolved(node['items'], walk.root);
  if (Object.keys(item).length === 0) return asJson(node, 'A list of any JSON values.', plan.nullable);
  const constants = constantsOf(item);
  if (node['uniqueItems'] === true && constants.length > 0) return withPlan({}, { ...plan, control: 'choices', choices: constants });
  const most = numberOf(node['maxItems']);
  return withPlan(
    { type: 'array', items: planNode(node['items'], walk, references, depth + 1), ...(most === null ? {} : { maxItems: most }) },
    { ...plan, control: 'array' },
  );
}

function planObject(node: SchemaNode, plan: FieldPlan, walk: Walk, references: readonly string[], depth: number): RJSFSchema {
  const properties = nodeOf(node['properties']);
  const names = Object.keys(properties);
  if (depth > 0 && isJsonObject(node['patternProperties']))
    return asJson(node, 'The names in this object follow a pattern.', plan.nullable);
  const values =
    isJsonObject(node['additionalProperties']) && Object.keys(node['additionalProperties']).length > 0
      ? planNode(node['additionalProperties'], walk, references, depth + 1)
      : null;
  if (names.length === 0 && depth > 0) {
    if (values !== null) return withPlan({}, { ...plan, control: 'map', values });
    if (node['additionalProperties'] !== false) return asJson(node, 'An object with any names is accepted.', plan.nullable);
  }
  const required = listOf(node['required'])
    .filter((name) => typeof name === 'string')
    .filter((name) => nodeOf(properties[name])['default'] === undefined);
  return withPlan(
    {
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, planNode(properties[name], walk, references, depth + 1)])),
      required,
    },
    { ...plan, control: 'object', values, required },
  );
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'Text',
  integer: 'Whole number',
  number: 'Number',
  boolean: 'True or false',
  array: 'List',
  object: 'Object',
};

function optionTitle(option: SchemaNode): string {
  const title = textOf(option['title']);
  if (title !== null) return title;
  const properties = nodeOf(option['properties']);
  for (const property of Object.values(properties)) {
    const fixed = constantsOf(nodeOf(property));
    if (fixed.length === 1 && fixed[0] !== undefined) return fixed[0].label;
  }
  const names = Object.keys(properties);
  if (names.length > 0) return `Object with ${names.slice(0, 3).join(', ')}${names.length > 3 ? ', …' : ''}`;
  const constants = constantsOf(option);
  if (constants.length > 0)
    return constants
      .map(({ label }) => label)
      .slice(0, 4)
      .join(', ');
  const { types } = typesOf(option);
  const [type] = types;
  if (type === 'array') {
    const item = typesOf(nodeOf(option['items'])).types[0];
    return item === undefined
      ? 'List'
      : `List of ${item === 'object' ? 'objects' : item === 'string' ? 'texts' : item === 'boolean' ? 'true or false' : 'numbers'}`;
  }
  return types.map((each) => TYPE_WORDS[each] ?? each).join(' or ') || 'Any JSON';
}

function constantsOf(node: SchemaNode): readonly Choice[] {
  const title = textOf(node['title']);
  if ('const' in node)
    return [{ value: node['const'], label: title !== null && !isJsonObject(node['properties']) ? title : labelOf(node['const']) }];
  return listOf(node['enum']).map((value) => ({ value, label: labelOf(value) }));
}

function labelOf(value: unknown): string {
  return typeof value === 'string' ? (value === '' ? '(empty text)' : value) : (JSON.stringify(value) ?? 'null');
}

function choice(node: SchemaNode, choices: readonly Choice[], nullable: boolean): RJSFSchema {
  const unique = choices.filter(
    (one, index) => choices.findIndex((other) => JSON.stringify(other.value) === JSON.stringify(one.value)) === index,
  );
  return withPlan({}, { ...PLAIN, ...wordsOf(node), control: 'choice', nullable, choices: unique });
}

function asJson(node: SchemaNode, why: string, nullable = false): RJSFSchema {
  return withPlan({}, { ...PLAIN, ...wordsOf(node), nullable, control: 'json' satisfies Control, why });
}

function wordsOf(node: SchemaNode): Pick<FieldPlan, 'title' | 'description' | 'deprecated' | 'fallback'> {
  return {
    title: textOf(node['title']),
    description: textOf(node['description']),
    deprecated: node['deprecated'] === true,
    fallback: 'default' in node ? { value: node['default'] } : null,
  };
}

function withoutWords({
  title: _title,
  description: _description,
  default: _default,
  nullable: _nullable,
  ...rest
}: SchemaNode): SchemaNode {
  return rest;
}

function resolved(schema: unknown, root: SchemaNode): SchemaNode {
  const node = nodeOf(schema);
  const reference = node['$ref'];
  return typeof reference === 'string' ? { ...referenced(root, reference), ...node } : node;
}

function hasConditions(node: SchemaNode): boolean {
  return ['if', 'not', 'oneOf', 'anyOf', 'allOf'].some((word) => word in node);
}

/** `{"required": ["a"]}` and the like say nothing about how a value looks. */
function addsOnlyRules(node: SchemaNode): boolean {
  return Object.keys(node).every((key) =>
    ['required', 'not', 'if', 'then', 'else', 'minProperties', 'maxProperties', 'dependentRequired', 'title', 'description'].includes(key),
  );
}
