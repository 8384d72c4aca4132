import type { ContractChange, ToolChange } from '#lib/contract/revision-comparison.ts';
import type { Tool } from '#lib/contract/tool.ts';
import { isObject } from './json-value.ts';

/** A tool as callers see it. */
export interface ToolContract {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly parameters: unknown;
  readonly outputSchema: unknown;
  readonly annotations: Tool['annotations'];
  readonly timeoutMs: number | null;
}

/** Differences between two revisions by tool; breaking ones first. */
export function compareTools(before: readonly ToolContract[], after: readonly ToolContract[]): readonly ToolChange[] {
  const old = new Map(before.map((tool) => [tool.name, tool]));
  const next = new Map(after.map((tool) => [tool.name, tool]));
  const found: ToolChange[] = [];
  for (const tool of before) {
    if (next.has(tool.name)) continue;
    found.push({ tool: tool.name, change: 'removed', breaking: true, changes: [] });
  }
  for (const tool of after) {
    const earlier = old.get(tool.name);
    if (earlier === undefined) {
      found.push({ tool: tool.name, change: 'added', breaking: false, changes: [] });
      continue;
    }
    const changes = compareTool(earlier, tool).toSorted((a, b) => Number(b.breaking) - Number(a.breaking));
    if (changes.length > 0)
      found.push({ tool: tool.name, change: 'changed', breaking: changes.some((change) => change.breaking), changes });
  }
  return found.toSorted((a, b) => Number(b.breaking) - Number(a.breaking));
}

function compareTool(before: ToolContract, after: ToolContract): ContractChange[] {
  const changes: ContractChange[] = [...compareSchemas(before.parameters, after.parameters)];
  const add = (breaking: boolean, message: string): void => void changes.push({ path: '', breaking, message });
  if (before.description !== after.description) add(false, 'The description changed.');
  if (before.label !== after.label) add(false, `The label was “${before.label}” and is now “${after.label}”.`);
  if (before.timeoutMs !== after.timeoutMs) add(false, 'Its timeout changed.');
  if (!same(before.annotations, after.annotations)) add(false, 'Its annotations (reads only, destructive, …) changed.');
  if (!same(before.outputSchema, after.outputSchema)) {
    // For results the direction is reversed: every new result must be valid by the old schema.
    const isBroken =
      after.outputSchema === null || compareSchemas(after.outputSchema, before.outputSchema).some((change) => change.breaking);
    add(before.outputSchema !== null && isBroken, 'The schema of its results changed.');
  }
  return changes;
}

type Schema = Readonly<Record<string, unknown>>;

/**
 * Differences of two schemas for callers, each with whether a formerly valid value may now be invalid. Differences that need
 * evaluation (unions, conditions, references) count as breaking.
 */
export function compareSchemas(before: unknown, after: unknown, path = ''): readonly ContractChange[] {
  if (same(before, after)) return [];
  if (!isObject(before) || !isObject(after)) return [breaking(path, 'Accepts other values than before.')];
  const changes = [
    ...compareTypes(before, after, path),
    ...compareChoices(before, after, path),
    ...compareBounds(before, after, path),
    ...compareProperties(before, after, path),
    ...compareItems(before, after, path),
    ...compareText(before, after, path),
  ];
  const opaque = OPAQUE.filter((key) => !same(before[key], after[key]));
  if (opaque.length > 0)
    changes.push(breaking(path, `${opaque.map((key) => `\`${key}\``).join(', ')} changed; formerly valid values may be invalid now.`));
  return changes;
}

const OPAQUE = [
  '$ref',
  '$defs',
  'definitions',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentRequired',
  'dependentSchemas',
  'dependencies',
  'patternProperties',
  'propertyNames',
  'prefixItems',
  'contains',
  'unevaluatedProperties',
  'unevaluatedItems',
];

function compareTypes(before: Schema, after: Schema, path: string): ContractChange[] {
  const [old, next] = [typesOf(before), typesOf(after)];
  if (same(old, next)) return [];
  if (next === null) return [compatible(path, `Any type is accepted now; it was ${old?.join(' or ') ?? 'any'}.`)];
  const gone = (old ?? ['any type']).filter((type) => !next.includes(type) && !(type === 'integer' && next.includes('number')));
  const message = `The type was ${old?.join(' or ') ?? 'any'} and is ${next.join(' or ')} now.`;
  return [gone.length > 0 ? breaking(path, message) : compatible(path, message)];
}

function typesOf({ type }: Schema): readonly string[] | null {
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? type.filter((each) => typeof each === 'string').toSorted() : null;
}

function compareChoices(before: Schema, after: Schema, path: string): ContractChange[] {
  const [old, next] = [choicesOf(before), choicesOf(after)];
  if (same(old, next)) return [];
  if (next === null) return [compatible(path, 'It is no longer limited to certain values.')];
  if (old === null) return [breaking(path, `Only ${listed(next)} is accepted now.`)];
  const gone = old.filter((value) => !next.some((other) => same(value, other)));
  const added = next.filter((value) => !old.some((other) => same(value, other)));
  return [
    ...(gone.length === 0 ? [] : [breaking(path, `${listed(gone)} is no longer accepted.`)]),
    ...(added.length === 0 ? [] : [compatible(path, `${listed(added)} is accepted too.`)]),
  ];
}

function choicesOf(schema: Schema): readonly unknown[] | null {
  if (Object.hasOwn(schema, 'const')) return [schema['const']];
  return Array.isArray(schema['enum']) ? schema['enum'] : null;
}

/** Direction in which each bound narrows: `least` with larger values, `most` with smaller ones. */
const BOUNDS: Readonly<Record<string, 'least' | 'most'>> = {
  minimum: 'least',
  exclusiveMinimum: 'least',
  minLength: 'least',
  minItems: 'least',
  minProperties: 'least',
  maximum: 'most',
  exclusiveMaximum: 'most',
  maxLength: 'most',
  maxItems: 'most',
  maxProperties: 'most',
};
const RULES = ['pattern', 'format', 'multipleOf', 'uniqueItems'];

function compareBounds(before: Schema, after: Schema, path: string): ContractChange[] {
  const changes: ContractChange[] = [];
  for (const [key, way] of Object.entries(BOUNDS)) {
    const [old, next] = [before[key], after[key]];
    if (same(old, next)) continue;
    if (typeof next !== 'number') changes.push(compatible(path, `\`${key}\` is gone.`));
    else if (typeof old !== 'number') changes.push(breaking(path, `\`${key}\` is ${next} now; there was none.`));
    else changes.push({ path, breaking: way === 'least' ? next > old : next < old, message: `\`${key}\` was ${old} and is ${next} now.` });
  }
  for (const key of RULES) {
    const [old, next] = [before[key], after[key]];
    if (same(old, next)) continue;
    if (next === undefined || next === false) changes.push(compatible(path, `\`${key}\` is gone.`));
    else
      changes.push(
        breaking(
          path,
          `\`${key}\` is ${JSON.stringify(next)} now; ${old === undefined ? 'there was none' : `it was ${JSON.stringify(old)}`}.`,
        ),
      );
  }
  return changes;
}

function compareProperties(before: Schema, after: Schema, path: string): ContractChange[] {
  const [old, next] = [propertiesOf(before), propertiesOf(after)];
  const [mustOld, mustNext] = [namesOf(before['required']), namesOf(after['required'])];
  const closed = after['additionalProperties'] === false;
  const changes: ContractChange[] = [];
  for (const name of new Set([...Object.keys(old), ...Object.keys(next)])) {
    const at = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const isRequired = mustNext.includes(name) && !mustOld.includes(name);
    if (!Object.hasOwn(next, name)) {
      changes.push(closed ? breaking(at, 'It is no longer accepted.') : compatible(at, 'It is no longer described.'));
      continue;
    }
    if (!Object.hasOwn(old, name))
      changes.push(isRequired ? breaking(at, 'It is new and required.') : compatible(at, 'It is new and optional.'));
    else {
      if (isRequired) changes.push(breaking(at, 'It is required now.'));
      if (mustOld.includes(name) && !mustNext.includes(name)) changes.push(compatible(at, 'It is optional now.'));
      changes.push(...compareSchemas(old[name], next[name], at));
    }
  }
  const [wasOpen, isOpen] = [before['additionalProperties'], after['additionalProperties']];
  if (!same(wasOpen, isOpen)) {
    if (isOpen === false) changes.push(breaking(path, 'Additional fields are refused now.'));
    else if (isObject(isOpen)) changes.push(breaking(path, 'Additional fields must match another schema now.'));
    else changes.push(compatible(path, 'Additional fields are accepted now.'));
  }
  return changes;
}

function propertiesOf(schema: Schema): Schema {
  return isObject(schema['properties']) ? schema['properties'] : {};
}

function namesOf(required: unknown): readonly string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

function compareItems(before: Schema, after: Schema, path: string): readonly ContractChange[] {
  const [old, next] = [before['items'], after['items']];
  if (same(old, next)) return [];
  if (next === undefined) return [compatible(`${path}/-`, 'Items may be anything now.')];
  return old === undefined ? [breaking(`${path}/-`, 'Items must match a schema now.')] : compareSchemas(old, next, `${path}/-`);
}

function compareText(before: Schema, after: Schema, path: string): ContractChange[] {
  const changes: ContractChange[] = [];
  if (!same(before['default'], after['default']))
    changes.push(
      after['default'] === undefined
        ? compatible(path, `The default was removed; it was ${JSON.stringify(before['default'])}.`)
        : compatible(
            path,
            `The default is ${JSON.stringify(after['default'])} now${before['default'] === undefined ? '' : `; it was ${JSON.stringify(before['default'])}`}.`,
          ),
    );
  if (['title', 'description'].some((key) => !same(before[key], after[key]))) changes.push(compatible(path, 'The description changed.'));
  return changes;
}

const LISTED = 5;

function listed(values: readonly unknown[]): string {
  const shown = values.slice(0, LISTED).map((value) => JSON.stringify(value));
  return values.length > LISTED ? `${shown.join(', ')} and ${values.length - LISTED} more` : shown.join(', ');
}

/** Compares as JSON, independent of the order of keys. */
function same(a: unknown, b: unknown): boolean {
  return sorted(a) === sorted(b);
}

function sorted(value: unknown): string | undefined {
  return JSON.stringify(value, (_, part: unknown) =>
    isObject(part) ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}

function breaking(path: string, message: string): ContractChange {
  return { path, breaking: true, message };
}

function compatible(path: string, message: string): ContractChange {
  return { path, breaking: false, message };
}
