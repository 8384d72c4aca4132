import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type Path,
  type Payload,
  blankItem,
  canShow,
  editPayload,
  itemPart,
  matchOption,
  startPayload,
  valueForOption,
} from './payload.ts';
import type { FormSchema } from './field-plan.ts';
import { partForName, planAt, planForm } from './form-plan.ts';
import { isJsonObject, readJson, readNumber, sameJson, writeJson } from './json-text.ts';
import { pointerOf, valueAt } from './issues.ts';
import { jsonValues, samples } from './samples-for-tests.ts';

/** The value rebuilt from its fields, each as its control shows and parses it. */
function readBack(part: FormSchema | null, value: unknown): unknown {
  const plan = part === null ? null : planAt(part, value);
  if (plan === null || plan.control === 'json' || value === null || !canShow(plan, value)) {
    const reading = readJson(writeJson(value));
    return reading.ok ? reading.value : reading.problem.message;
  }
  switch (plan.control) {
    case 'number':
    case 'integer':
      return readNumber(JSON.stringify(value)).value;
    case 'date':
    case 'time':
    case 'date-time':
      return typeof value === 'string' && /[\r\n]/.test(value) ? 'not to be seen' : value;
    case 'choice':
      return plan.choices.find((choice) => sameJson(choice.value, value))?.value;
    case 'union':
      return readBack(plan.options[matchOption(plan.options, value, null)]?.part ?? null, value);
    case 'choices':
    case 'array':
    case 'tuple':
      return Array.isArray(value) ? value.map((item, place) => readBack(itemPart(plan, place), item)) : 'no list';
    case 'object': {
      const fields = new Map(plan.fields.map((field) => [field.name, field.part]));
      const shown = Object.entries(isJsonObject(value) ? value : {});
      return Object.fromEntries(
        shown.map(([name, member]) => [name, readBack(fields.get(name) ?? partForName(plan.additional, name), member)]),
      );
    }
    default:
      return value;
  }
}

/** Fills in a value field by field: chooses options, adds items and names, types the rest. */
function fillIn(form: FormSchema, payload: Payload, part: FormSchema | null, path: Path, value: unknown): Payload {
  const here = valueAt(payload, pointerOf(path));
  const plan = part === null ? null : planAt(part, here);
  if (plan?.control === 'union') {
    const option = plan.options[matchOption(plan.options, value, null)];
    if (option !== undefined && value !== null) {
      const begun = editPayload(form, payload, path, valueForOption(option, here) ?? null);
      return fillIn(form, begun, option.part, path, value);
    }
  }
  if (plan?.control === 'object' && isJsonObject(value) && Object.keys(value).length > 0) {
    let filled = payload;
    for (const [name, member] of Object.entries(value)) {
      const fields = planAt(part ?? form, valueAt(filled, pointerOf(path))).fields;
      const named = fields.find((field) => field.name === name)?.part;
      if (named === undefined) filled = editPayload(form, filled, [...path, name], blankItem(partForName(plan.additional, name)));
      filled = fillIn(form, filled, named ?? partForName(plan.additional, name), [...path, name], member);
    }
    return filled;
  }
  if ((plan?.control === 'array' || plan?.control === 'tuple') && Array.isArray(value) && value.length > 0) {
    let filled = payload;
    for (const [place, item] of value.entries()) {
      const itemKind = itemPart(plan, place);
      filled = editPayload(form, filled, [...path, place], blankItem(itemKind));
      filled = fillIn(form, filled, itemKind, [...path, place], item);
    }
    return filled;
  }
  return path.length === 0 ? payload : editPayload(form, payload, path, value);
}

/** All paths of a value, at any depth. */
function placesOf(value: unknown, path: Path = []): readonly Path[] {
  if (Array.isArray(value)) return [path, ...value.flatMap((item, place) => placesOf(item, [...path, place]))];
  if (isJsonObject(value)) return [path, ...Object.entries(value).flatMap(([name, member]) => placesOf(member, [...path, name]))];
  return [path];
}

it('shows every payload completely and reads it back unchanged', () => {
  fc.assert(
    fc.property(samples, ({ schema, value }) => {
      expect(readBack(planForm(schema), value)).toStrictEqual(value);
    }),
    { numRuns: 500 },
  );
});

it('builds every payload field by field', () => {
  fc.assert(
    fc.property(samples, ({ schema, value }) => {
      const form = planForm(schema);
      expect(fillIn(form, startPayload(form), form, [], value)).toEqual(value);
    }),
    { numRuns: 500 },
  );
});

it('is unchanged when a value is changed and changed back', () => {
  fc.assert(
    fc.property(samples, fc.nat(), ({ schema, value }, which) => {
      const form = planForm(schema);
      const places = placesOf(value).slice(1);
      const path = places[which % Math.max(1, places.length)];
      if (path === undefined || !isJsonObject(value)) return;
      const before = valueAt(value, pointerOf(path));
      const changed = editPayload(form, value, path, 'something else');
      expect(valueAt(changed, pointerOf(path))).toBe('something else');
      expect(JSON.stringify(editPayload(form, changed, path, before))).toBe(JSON.stringify(value));
    }),
    { numRuns: 500 },
  );
});

it('writes and reads any JSON unchanged', () => {
  fc.assert(
    fc.property(jsonValues, (value) => {
      expect(readJson(writeJson(value))).toStrictEqual({ ok: true, value });
      expect(readJson(JSON.stringify(value))).toStrictEqual({ ok: true, value });
    }),
    { numRuns: 500 },
  );
});
