import type { Choice } from './field-plan.ts';
import { isJsonObject } from './json-text.ts';
import { listOf, nodeOf, textOf, typesOf } from './schema-node.ts';
import type { SchemaNode } from './schema-node.ts';

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

/** What one form of a value is called: its own title, the fixed value that marks it, or what it is made of. */
export function optionTitle(option: SchemaNode): string {
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

/** The name whose fixed value tells this form from the others, where the form is called by it. */
export function markOf(option: SchemaNode): string | null {
  const fixed = fixedOf(option);
  return fixed !== null && fixed.label === optionTitle(option) ? fixed.name : null;
}

/** A title of the name is what all forms have in common: the value itself tells them apart. */
function fixedOf(option: SchemaNode): { readonly name: string; readonly label: string } | null {
  for (const [name, property] of Object.entries(nodeOf(option['properties']))) {
    const [only, ...others] = constantsOf(nodeOf(property));
    if (only !== undefined && others.length === 0) return { name, label: labelOf(only.value) };
  }
  return null;
}

/** The closed list of values of a schema; empty when it has none. */
export function constantsOf(node: SchemaNode): readonly Choice[] {
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

/** The choices with labels that tell them apart: where 1 and "1" are both accepted, text stands in quotes. */
export function choicesOf(choices: readonly Choice[]): readonly Choice[] {
  const counts = new Map<string, number>();
  for (const { label } of choices) counts.set(label, (counts.get(label) ?? 0) + 1);
  return choices.map((choice) => ((counts.get(choice.label) ?? 0) > 1 ? { ...choice, label: JSON.stringify(choice.value) } : choice));
}

/** The closed list of values of a field: its title is what the field is called, and no value's name. */
export function valuesOf(node: SchemaNode): readonly Choice[] {
  return constantsOf(node).map((choice) => ({ ...choice, label: labelOf(choice.value) }));
}

function labelOf(value: unknown): string {
  return typeof value === 'string' ? (value === '' ? '(empty text)' : value) : (JSON.stringify(value) ?? 'null');
}

/** `{"required": ["a"]}` and the like say nothing about how a value looks. */
export function addsOnlyRules(node: SchemaNode): boolean {
  return Object.keys(node).every((key) =>
    ['required', 'not', 'if', 'then', 'else', 'minProperties', 'maxProperties', 'dependentRequired', 'title', 'description'].includes(key),
  );
}
