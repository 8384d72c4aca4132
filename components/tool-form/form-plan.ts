import { fitsPattern } from '#lib/contract/quick-pattern.ts';
import type { Choice, FieldPlan, FormSchema, FurtherNames, UnionOption } from './field-plan.ts';
import { isJsonObject } from './json-text.ts';
import { mergeSchemas } from './merge-schemas.ts';
import { withAwaits } from './awaited-names.ts';
import { resolveSchema, settledSchema } from './resolve-schema.ts';
import { sameJson } from './same-json.ts';
import { limitsInWords, listOf, nodeOf, numberOf, textOf, typesOf } from './schema-node.ts';
import type { SchemaNode } from './schema-node.ts';
import { stringLook } from './string-look.ts';
import { addsOnlyRules, choicesOf, constantsOf, markOf, optionTitle, TYPE_WORDS, valuesOf } from './option-title.ts';

/*
 * From a place in a tool's schema, and the value that stands there, to what is shown. One place at a time and only where
 * somebody looks: a schema that contains itself, or that says "if this, then those fields", needs nothing of its own.
 * - A value is in the payload because a person put it there, and for no other reason: a plan fills in nothing.
 * - What a form cannot show faithfully (any JSON, objects with any names) is one JSON editor, with the reason in words.
 * - Rules that span fields (`not`, "one of these is required") are no part of a plan: the tool's own schema is what the
 *   payload is checked against.
 * The schema is foreign; its size is bounded by the server, and how far it is followed by resolve-schema.ts.
 */
const MOST_OPTIONS = 60;
const MOST_EXAMPLES = 5;
const MOST_BOXES = 24;

const plans = new WeakMap<SchemaNode, FieldPlan>();

/** The form of a tool's parameters. */
export function planForm(parameters: Readonly<Record<string, unknown>>): FormSchema {
  return { root: parameters, schema: parameters };
}

/** What is shown at a place for a value; the same object as long as the same schema applies. */
export function planAt({ root, schema }: FormSchema, value: unknown): FieldPlan {
  const { node, problem, never, awaiting } = resolveSchema(schema, root, value);
  if (never) return asJson(node, 'No value is allowed here.');
  if (problem !== null) return asJson(node, problem);
  const known = plans.get(node);
  if (known !== undefined) return known;
  const planned = planNode(node, (part) => ({ root, schema: part }));
  const plan = awaiting.length === 0 ? planned : withAwaits(planned, awaiting, settledSchema(schema, root, value));
  plans.set(node, plan);
  return plan;
}

type PartOf = (schema: unknown) => FormSchema;

function planNode(node: SchemaNode, part: PartOf): FieldPlan {
  const options = formsOf(node, part);
  if (options.length > 0) {
    const union = planUnion(node, options, part);
    if (union !== null) return union;
  }
  const { types, nullable } = typesOf(node);
  const constants = valuesOf(node);
  if (constants.length > 0) {
    const choices = constants.filter((one) => (one.value !== null || !nullable) && fitsTypes(one.value, types));
    return choice(node, choices.length === 0 ? constants : choices, nullable && constants.some((one) => one.value === null));
  }
  if (types.length === 0) {
    if (nullable) return choice(node, [{ value: null, label: 'null' }], false);
    return asJson(node, 'Any JSON value is accepted.');
  }
  if (types.length > 1) {
    const { title: _title, description: _description, default: _default, examples: _examples, ...rest } = node;
    const each = types.map((type): UnionOption => ({
      title: TYPE_WORDS[type] ?? type,
      mark: null,
      part: part({ ...rest, type, nullable: false }),
    }));
    return { ...blankPlan(node), control: 'union', nullable, options: each };
  }
  return planTyped(node, types[0] ?? 'string', nullable, part);
}

function planTyped(node: SchemaNode, type: string, nullable: boolean, part: PartOf): FieldPlan {
  const plan: FieldPlan = { ...blankPlan(node), nullable, limits: limitsInWords(node, type) };
  switch (type) {
    case 'string':
      return { ...plan, ...stringLook(node) };
    case 'integer':
    case 'number':
      return { ...plan, control: type, keyboard: type === 'integer' ? 'numeric' : 'decimal', step: numberOf(node['multipleOf']) };
    case 'boolean':
      return { ...plan, control: 'boolean' };
    case 'array':
      return planArray(node, plan, part);
    case 'object':
      return planObject(node, plan, part);
    default:
      return { ...plan, control: 'json', why: `The form does not know the type "${type}".` };
  }
}

/** The forms that a value may have: where there are two lists of them, each of one with each of the other. Rules alone are no forms. */
function formsOf(node: SchemaNode, part: PartOf): readonly unknown[] {
  const { root } = part(node);
  const isRule = (option: unknown) => addsOnlyRules(resolveSchema(option, root, undefined).node);
  const [one, other] = [node['oneOf'], node['anyOf']].map(listOf).filter((options) => !options.every(isRule));
  if (one === undefined || other === undefined) return one ?? [];
  return listOf(mergeSchemas({ oneOf: one }, { anyOf: other })['oneOf']);
}

/** A value with several forms. Null when none of them says what it looks like. */
function planUnion(node: SchemaNode, all: readonly unknown[], part: PartOf): FieldPlan | null {
  const { oneOf: _one, anyOf: _any, ...base } = node;
  const { root } = part(node);
  const resolved = all.map((option) => ({ option, node: resolveSchema(option, root, undefined).node }));
  const nullable = resolved.some((each) => each.node['type'] === 'null') || typesOf(node).nullable;
  const real = resolved.filter((each) => each.node['type'] !== 'null');
  if (real.length === 0) return null;
  if (real.every((each) => constantsOf(each.node).length > 0))
    return choice(
      base,
      real.flatMap((each) => constantsOf(each.node)),
      nullable,
    );
  const structure = withoutWords(base);
  const [only] = real;
  if (real.length === 1 && only !== undefined) {
    const alone = planAt(part({ ...wordsOnly(base), allOf: [structure, only.option] }), undefined);
    return { ...alone, nullable: nullable || alone.nullable };
  }
  if (real.length > MOST_OPTIONS) return { ...asJson(base, `This value may have ${real.length} different forms.`), nullable };
  const options = real.map((each): UnionOption => ({
    title: optionTitle(each.node),
    mark: markOf(each.node),
    part: part(Object.keys(structure).length === 0 ? each.option : { allOf: [each.option, structure] }),
  }));
  return { ...blankPlan(base), control: 'union', nullable, options: apart(options) };
}

/** Options with the same title are told apart by their place. */
function apart(options: readonly UnionOption[]): readonly UnionOption[] {
  return options.map((option, index) =>
    options.filter((other) => other.title === option.title).length === 1 ? option : { ...option, title: `${option.title} (${index + 1})` },
  );
}

function planArray(node: SchemaNode, plan: FieldPlan, part: PartOf): FieldPlan {
  const counted = { ...plan, least: numberOf(node['minItems']) ?? 0, most: numberOf(node['maxItems']) };
  const places = Array.isArray(node['prefixItems'])
    ? listOf(node['prefixItems'])
    : Array.isArray(node['items'])
      ? listOf(node['items'])
      : [];
  if (places.length > 0) {
    const rest = Array.isArray(node['prefixItems']) ? node['items'] : node['additionalItems'];
    const items = isJsonObject(rest) && Object.keys(rest).length > 0 ? part(rest) : null;
    return { ...counted, control: 'tuple', places: places.map(part), items, limits: items === null ? null : plan.limits };
  }
  if (node['items'] === false) return { ...counted, control: 'array', items: null, limits: 'no items', most: 0 };
  const items = part(node['items'] ?? {});
  const item = planAt(items, undefined);
  if (item.control === 'choice' && !item.nullable && item.choices.length > 1 && item.choices.length <= MOST_BOXES)
    return { ...counted, control: 'choices', choices: item.choices, items };
  return { ...counted, control: 'array', items };
}

function planObject(node: SchemaNode, plan: FieldPlan, part: PartOf): FieldPlan {
  const properties = nodeOf(node['properties']);
  const required = listOf(node['required']).filter((name) => typeof name === 'string');
  const names = Object.keys(properties);
  const further = furtherNames(node, part);
  if (names.length === 0 && required.length === 0 && further === null && node['additionalProperties'] !== false) {
    return { ...plan, control: 'json', why: 'An object with any names is accepted.' };
  }
  const nameless = required.filter((name) => !Object.hasOwn(properties, name));
  const fields = [
    ...names.map((name) => ({ name, part: part(properties[name]) })),
    // Required, and described nowhere: still a person has to be asked for it.
    ...nameless.map((name) => ({ name, part: partForName(further, name) ?? part({}) })),
  ];
  return {
    ...plan,
    control: 'object',
    fields: fields.filter(({ part: each }) => each.schema !== false),
    required: required.filter((name) => nodeOf(properties[name])['default'] === undefined),
    further,
    limits: limitsInWords(node, 'object'),
  };
}

function furtherNames(node: SchemaNode, part: PartOf): FurtherNames | null {
  const patterns = Object.entries(nodeOf(node['patternProperties'])).map(([pattern, schema]) => ({ pattern, part: part(schema) }));
  const rest = node['additionalProperties'] ?? node['unevaluatedProperties'];
  const named = Object.keys(nodeOf(node['properties'])).length > 0;
  const others = isJsonObject(rest) && (Object.keys(rest).length > 0 || named) ? part(rest) : rest === true && named ? part({}) : null;
  return patterns.length === 0 && others === null ? null : { patterns, others };
}

/** The kind of value that belongs to a name beside the named properties; null when the name is refused. */
export function partForName(further: FurtherNames | null, name: string): FormSchema | null {
  if (further === null) return null;
  return further.patterns.find(({ pattern }) => fitsPattern(pattern, name) !== false)?.part ?? further.others;
}

function fitsTypes(value: unknown, types: readonly string[]): boolean {
  if (types.length === 0) return true;
  const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  if (type === 'bigint') return types.includes('integer') || types.includes('number');
  return types.includes(type) || (type === 'number' && types.includes('integer') && Number.isInteger(value));
}

function choice(node: SchemaNode, choices: readonly Choice[], nullable: boolean): FieldPlan {
  const unique = choices.filter((one, index) => choices.findIndex((other) => sameJson(other.value, one.value)) === index);
  return { ...blankPlan(node), control: 'choice', nullable, choices: choicesOf(unique) };
}

function asJson(node: SchemaNode, why: string): FieldPlan {
  return { ...blankPlan(node), why };
}

const WORDS = ['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly', '$comment'];

function wordsOnly(node: SchemaNode): SchemaNode {
  return Object.fromEntries(Object.entries(node).filter(([key]) => WORDS.includes(key)));
}

function withoutWords(node: SchemaNode): SchemaNode {
  return Object.fromEntries(
    Object.entries(node).filter(([key]) => !WORDS.includes(key) && !['$schema', '$id', '$defs', 'definitions', 'nullable'].includes(key)),
  );
}

function blankPlan(node: SchemaNode): FieldPlan {
  return {
    control: 'json',
    title: textOf(node['title']),
    description: textOf(node['description']),
    deprecated: node['deprecated'] === true,
    nullable: false,
    readOnly: node['readOnly'] === true,
    secret: node['writeOnly'] === true || node['format'] === 'password',
    fallback: 'default' in node ? { value: node['default'] } : null,
    examples: listOf(node['examples']).slice(0, MOST_EXAMPLES),
    emptyText: false,
    limits: null,
    placeholder: null,
    keyboard: 'text',
    step: null,
    choices: [],
    options: [],
    fields: [],
    required: [],
    further: null,
    items: null,
    places: [],
    least: 0,
    most: null,
    why: null,
    node,
  };
}
