import { fitsPattern } from '#lib/contract/subschemas.ts';
import type { AbsenceCondition, Choice, FieldPlan, FormSchema, AdditionalNames, NamedPart, UnionOption } from './field-plan.ts';
import { isJsonObject, sameJson } from './json-text.ts';
import { type AbsenceBranch, mergeSchemas, resolveSchema, settledSchema } from './resolve-schema.ts';
import { type SchemaNode, limitsInWords, listOf, nodeOf, numberOf, textOf, typesOf } from './schema-node.ts';

const LONG = 200;
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  time: '09:30:00Z',
  'date-time': '2026-01-31T09:30:00Z',
  duration: 'P1DT2H',
  email: 'name@example.org',
  uri: 'https://…',
  url: 'https://…',
  'uri-reference': '/path or https://…',
  uuid: '123e4567-e89b-12d3-a456-426614174000',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  hostname: 'example.org',
  regex: '^[a-z]+$',
};

/** Formats that empty text never matches. */
const NEVER_EMPTY: ReadonlySet<string> = new Set(
  'date time date-time iso-time iso-date-time duration email idn-email hostname idn-hostname ipv4 ipv6 uri url iri uuid'.split(' '),
);

function stringLook(node: SchemaNode): Pick<FieldPlan, 'control' | 'emptyText' | 'placeholder' | 'keyboard'> {
  const format = textOf(node['format']) ?? '';
  const min = numberOf(node['minLength']) ?? 0;
  const input = {
    control: controlOf(node, format),
    emptyText: min === 0 && !NEVER_EMPTY.has(format) && !refusesEmpty(node['pattern']),
    placeholder: PLACEHOLDERS[format] ?? null,
  } as const;
  if (format === 'email' || format === 'idn-email') return { ...input, keyboard: 'email' };
  return { ...input, keyboard: format === 'uri' || format === 'url' || format === 'iri' ? 'url' : 'text' };
}

function controlOf(node: SchemaNode, format: string): FieldPlan['control'] {
  if (format === 'password' || node['writeOnly'] === true) return 'password';
  if (holdsBytes(node, format)) return 'bytes';
  if (format === 'date' || format === 'time' || format === 'date-time') return format;
  if (['textarea', 'multiline', 'markdown', 'html'].includes(format) || node['contentMediaType'] !== undefined) return 'multiline';
  if ((numberOf(node['maxLength']) ?? 0) >= LONG || (numberOf(node['minLength']) ?? 0) >= LONG) return 'multiline';
  return typeof node['default'] === 'string' && node['default'].includes('\n') ? 'multiline' : 'text';
}

/** JSON carries file bytes as base64. */
function holdsBytes(node: SchemaNode, format: string): boolean {
  return /^base64/i.test(textOf(node['contentEncoding']) ?? '') || ['byte', 'binary', 'base64', 'base64url'].includes(format);
}

function refusesEmpty(pattern: unknown): boolean {
  return typeof pattern === 'string' && fitsPattern(pattern, '') !== true;
}

export const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'Text',
  integer: 'Whole number',
  number: 'Number',
  boolean: 'True or false',
  array: 'List',
  object: 'Object',
};
const ITEM_WORDS: Readonly<Record<string, string>> = {
  string: 'texts',
  integer: 'whole numbers',
  number: 'numbers',
  boolean: 'true or false',
  array: 'lists',
  object: 'objects',
};

function optionTitle(option: SchemaNode): string {
  const title = textOf(option['title']) ?? fixedOf(option)?.label ?? null;
  if (title !== null) return title;
  const names = Object.keys(nodeOf(option['properties']));
  if (names.length > 0) return `Object with ${names.slice(0, 3).join(', ')}${names.length > 3 ? ', …' : ''}`;
  const constants = constantsOf(option);
  if (constants.length > 0)
    return constants
      .map(({ label }) => label)
      .slice(0, 4)
      .join(', ');
  const { types } = typesOf(option);
  if (types[0] === 'array') {
    const item = typesOf(nodeOf(option['items'])).types[0];
    return item === undefined ? 'List' : `List of ${ITEM_WORDS[item] ?? item}`;
  }
  return types.map((each) => TYPE_WORDS[each] ?? each).join(' or ') || 'Any JSON';
}

/** The discriminator that names the option. */
function discriminatorOf(option: SchemaNode): string | null {
  const fixed = fixedOf(option);
  return fixed !== null && fixed.label === optionTitle(option) ? fixed.name : null;
}

/** A title shared by all options does not name one. */
function fixedOf(option: SchemaNode): { readonly name: string; readonly label: string } | null {
  for (const [name, property] of Object.entries(nodeOf(option['properties']))) {
    const [only, ...others] = constantsOf(nodeOf(property));
    if (only !== undefined && others.length === 0) return { name, label: labelOf(only.value) };
  }
  return null;
}

function constantsOf(node: SchemaNode): readonly Choice[] {
  const title = textOf(node['title']);
  if ('const' in node)
    return [
      {
        value: node['const'],
        label: title !== null && !isJsonObject(node['properties']) ? title : labelOf(node['const']),
        description: textOf(node['description']),
      },
    ];
  return listOf(node['enum']).map((value) => ({ value, label: labelOf(value) }));
}

/** If both 1 and "1" are allowed, text is quoted. */
export function choicesOf(choices: readonly Choice[]): readonly Choice[] {
  const counts = new Map<string, number>();
  for (const { label } of choices) counts.set(label, (counts.get(label) ?? 0) + 1);
  return choices.map((choice) => ((counts.get(choice.label) ?? 0) > 1 ? { ...choice, label: JSON.stringify(choice.value) } : choice));
}

function labelOf(value: unknown): string {
  return typeof value === 'string' ? (value === '' ? '(empty text)' : value) : (JSON.stringify(value) ?? 'null');
}

/** `{"required": ["a"]}` says nothing about the kind of value. */
function addsOnlyRules(node: SchemaNode): boolean {
  return Object.keys(node).every((key) =>
    ['required', 'not', 'if', 'then', 'else', 'minProperties', 'maxProperties', 'dependentRequired', 'title', 'description'].includes(key),
  );
}

/*
 * In JSON Schema a condition on an absent name holds, so fields may be required before anything was chosen. They are shown,
 * because validation reports them too, and each says on which missing value it depends.
 */

function withAbsenceConditions(plan: FieldPlan, absenceBranches: readonly AbsenceBranch[], settled: SchemaNode): FieldPlan {
  if (plan.control !== 'object') return plan;
  const fields = plan.fields.map((field): NamedPart => {
    const absenceCondition = absenceConditionOf(field.name, plan.required.includes(field.name), absenceBranches, settled);
    return absenceCondition === null ? field : { ...field, absenceCondition };
  });
  return { ...plan, fields };
}

function absenceConditionOf(
  name: string,
  required: boolean,
  absenceBranches: readonly AbsenceBranch[],
  settled: SchemaNode,
): AbsenceCondition | null {
  const isAsked = (node: SchemaNode) => listOf(node['required']).includes(name);
  const isKnown = (node: SchemaNode) => Object.hasOwn(nodeOf(node['properties']), name) || isAsked(node);
  const what = !isKnown(settled) ? 'field' : required && !isAsked(settled) ? 'required' : null;
  if (what === null) return null;
  const names = absenceBranches
    .filter(({ branch }) => (what === 'field' ? isKnown(branch) : isAsked(branch)))
    .flatMap((each) => each.names);
  return names.length === 0 ? null : { names: [...new Set(names)], what };
}

export function absenceConditionInWords(absenceCondition: AbsenceCondition | undefined, titleOf: (name: string) => string): string | null {
  if (absenceCondition === undefined) return null;
  const names = new Intl.ListFormat('en', { type: 'conjunction' }).format(absenceCondition.names.map(titleOf));
  return `${absenceCondition.what === 'field' ? 'Used' : 'Required'} only without a value for ${names}.`;
}

/*
 * Plans the field for one part of a tool's schema and its current value, on demand, so that recursive schemas and if/then/else
 * need no special handling.
 * - A plan never fills in values: the payload holds only what the person entered.
 * - Values that a form cannot show faithfully (any JSON, objects with any names) get a JSON editor with a reason.
 * - Rules across fields (`not`, "one of these is required") are left to validation with the tool's schema.
 * The schema is untrusted: the server limits its size, and resolve-schema.ts limits how far it is followed.
 */
const MAX_OPTIONS = 60;
const MAX_EXAMPLES = 5;
const MAX_CHECKBOXES = 24;

const plans = new WeakMap<SchemaNode, FieldPlan>();

export function planForm(parameters: Readonly<Record<string, unknown>>): FormSchema {
  return { root: parameters, schema: parameters };
}

/** Referentially stable while the same subschema applies. */
export function planAt({ root, schema }: FormSchema, value: unknown): FieldPlan {
  const { node, problem, never, absenceBranches } = resolveSchema(schema, root, value);
  if (never) return asJson(node, 'No value is allowed here.');
  if (problem !== null) return asJson(node, problem);
  const known = plans.get(node);
  if (known !== undefined) return known;
  const planned = planNode(node, (part) => ({ root, schema: part }));
  const plan = absenceBranches.length === 0 ? planned : withAbsenceConditions(planned, absenceBranches, settledSchema(schema, root, value));
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
  const constants = constantsOf(node).map((choice) => ({ ...choice, label: labelOf(choice.value) }));
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
      discriminator: null,
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
      return { ...plan, control: 'json', jsonReason: `The form does not know the type "${type}".` };
  }
}

/** The options; with two lists each combination. Options that only add rules are ignored. */
function formsOf(node: SchemaNode, part: PartOf): readonly unknown[] {
  const { root } = part(node);
  const isRule = (option: unknown) => addsOnlyRules(resolveSchema(option, root, undefined).node);
  const [one, other] = [node['oneOf'], node['anyOf']].map(listOf).filter((options) => !options.every(isRule));
  if (one === undefined || other === undefined) return one ?? [];
  return listOf(mergeSchemas({ oneOf: one }, { anyOf: other })['oneOf']);
}

/** Null if no option says what the value looks like. */
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
  if (real.length > MAX_OPTIONS) return { ...asJson(base, `This value may have ${real.length} different forms.`), nullable };
  const options = real.map((each): UnionOption => ({
    title: optionTitle(each.node),
    discriminator: discriminatorOf(each.node),
    part: part(Object.keys(structure).length === 0 ? each.option : { allOf: [each.option, structure] }),
  }));
  return { ...blankPlan(base), control: 'union', nullable, options: withDistinctTitles(options) };
}

function withDistinctTitles(options: readonly UnionOption[]): readonly UnionOption[] {
  return options.map((option, index) =>
    options.filter((other) => other.title === option.title).length === 1 ? option : { ...option, title: `${option.title} (${index + 1})` },
  );
}

function planArray(node: SchemaNode, plan: FieldPlan, part: PartOf): FieldPlan {
  const counted = { ...plan, min: numberOf(node['minItems']) ?? 0, max: numberOf(node['maxItems']) };
  const tupleItems = Array.isArray(node['prefixItems'])
    ? listOf(node['prefixItems'])
    : Array.isArray(node['items'])
      ? listOf(node['items'])
      : [];
  if (tupleItems.length > 0) {
    const rest = Array.isArray(node['prefixItems']) ? node['items'] : node['additionalItems'];
    const items = isJsonObject(rest) && Object.keys(rest).length > 0 ? part(rest) : null;
    return { ...counted, control: 'tuple', tupleItems: tupleItems.map(part), items, limits: items === null ? null : plan.limits };
  }
  if (node['items'] === false) return { ...counted, control: 'array', items: null, limits: 'no items', max: 0 };
  const items = part(node['items'] ?? {});
  const item = planAt(items, undefined);
  if (item.control === 'choice' && !item.nullable && item.choices.length > 1 && item.choices.length <= MAX_CHECKBOXES)
    return { ...counted, control: 'choices', choices: item.choices, items };
  return { ...counted, control: 'array', items };
}

function planObject(node: SchemaNode, plan: FieldPlan, part: PartOf): FieldPlan {
  const properties = nodeOf(node['properties']);
  const required = listOf(node['required']).filter((name) => typeof name === 'string');
  const names = Object.keys(properties);
  const additional = furtherNames(node, part);
  if (names.length === 0 && required.length === 0 && additional === null && node['additionalProperties'] !== false) {
    return { ...plan, control: 'json', jsonReason: 'An object with any names is accepted.' };
  }
  const nameless = required.filter((name) => !Object.hasOwn(properties, name));
  const fields = [
    ...names.map((name) => ({ name, part: part(properties[name]) })),
    // Required but undeclared: it still needs a field.
    ...nameless.map((name) => ({ name, part: partForName(additional, name) ?? part({}) })),
  ];
  return {
    ...plan,
    control: 'object',
    fields: fields.filter(({ part: each }) => each.schema !== false),
    required: required.filter((name) => nodeOf(properties[name])['default'] === undefined),
    additional,
    limits: limitsInWords(node, 'object'),
  };
}

function furtherNames(node: SchemaNode, part: PartOf): AdditionalNames | null {
  const patterns = Object.entries(nodeOf(node['patternProperties'])).map(([pattern, schema]) => ({ pattern, part: part(schema) }));
  const rest = node['additionalProperties'] ?? node['unevaluatedProperties'];
  const named = Object.keys(nodeOf(node['properties'])).length > 0;
  const others = isJsonObject(rest) && (Object.keys(rest).length > 0 || named) ? part(rest) : rest === true && named ? part({}) : null;
  return patterns.length === 0 && others === null ? null : { patterns, others };
}

export function partForName(additional: AdditionalNames | null, name: string): FormSchema | null {
  if (additional === null) return null;
  return additional.patterns.find(({ pattern }) => fitsPattern(pattern, name) !== false)?.part ?? additional.others;
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

function asJson(node: SchemaNode, jsonReason: string): FieldPlan {
  return { ...blankPlan(node), jsonReason };
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
    defaultValue: 'default' in node ? { value: node['default'] } : null,
    examples: listOf(node['examples']).slice(0, MAX_EXAMPLES),
    emptyText: false,
    limits: null,
    placeholder: null,
    keyboard: 'text',
    step: null,
    choices: [],
    options: [],
    fields: [],
    required: [],
    additional: null,
    items: null,
    tupleItems: [],
    min: 0,
    max: null,
    jsonReason: null,
    node,
  };
}
