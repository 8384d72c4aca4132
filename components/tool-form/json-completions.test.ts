import { describe, expect, it } from 'vitest';
import { planForm } from './form-plan.ts';
import { opensAutomatically, completionsAt, descriptionAt } from './json-completions.ts';

const SCHEMA = {
  type: 'object',
  required: ['city'],
  properties: {
    city: { type: 'string', description: 'Where it is.' },
    unit: { enum: ['celsius', 'kelvin'], default: 'kelvin' },
    loud: { type: 'boolean' },
    days: { type: ['integer', 'null'], minimum: 1, maximum: 14, examples: [3, 7] },
    stops: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' }, kind: { enum: ['bus', 'ship'] } } } },
    shape: {
      oneOf: [
        { type: 'object', required: ['kind'], properties: { kind: { const: 'circle' }, radius: { type: 'number' } } },
        { type: 'object', required: ['kind'], properties: { kind: { const: 'square' }, side: { type: 'number' } } },
      ],
    },
    free: { type: 'object', examples: [{ colour: 'red', size: { w: 1 } }] },
    any: {},
  },
};
const form = planForm(SCHEMA);

/** The text with `|` at the cursor. */
function offered(marked: string, schema: Readonly<Record<string, unknown>> = SCHEMA) {
  const at = marked.indexOf('|');
  return completionsAt(planForm(schema), marked.replace('|', ''), at);
}

const labels = (marked: string) => offered(marked).completions.map((offer) => offer.label);

/** The text after a completion is accepted, with `|` at the new cursor. */
function taken(marked: string, label: string): string {
  const { from, to, completions } = offered(marked);
  const offer = completions.find((each) => each.label === label);
  if (offer === undefined) throw new Error(`${label} is not offered, but ${completions.map((each) => each.label).join(' ')}`);
  const text = marked.replace('|', '');
  return `${text.slice(0, from)}${offer.insert.slice(0, offer.caret)}|${offer.insert.slice(offer.caret)}${text.slice(to)}`;
}

describe('names', () => {
  it('are those of the schema that are missing in the object', () => {
    expect(labels('{|}')).toEqual(['"city"', '"unit"', '"loud"', '"days"', '"stops"', '"shape"', '"free"', '"any"']);
    expect(labels('{"city": "Oslo", |"unit": "kelvin"}')).not.toContain('"city"');
    expect(labels('{"|" "city": "Oslo", "unit": "kelvin"}')).not.toContain('"city"');
    expect(labels('{"stops": [{"name": "a", |}]}')).toEqual(['"kind"']);
  });

  it('are filtered by the typed text, prefix matches first, with or without quotes', () => {
    expect(labels('{"s|"}')).toEqual(['"stops"', '"shape"', '"days"']);
    expect(labels('{ sto|')).toEqual(['"stops"']);
    expect(labels('{"zzz|"}')).toEqual([]);
  });

  it('are inserted with the brackets or quotes of their value and the cursor inside', () => {
    expect(taken('{|}', '"city"')).toBe('{"city": "|"}');
    expect(taken('{ci|}', '"city"')).toBe('{"city": "|"}');
    expect(taken('{"st|"}', '"stops"')).toBe('{"stops": [|]}');
    expect(taken('{"|"}', '"loud"')).toBe('{"loud": |}');
    expect(taken('{| "city": "a"}', '"free"')).toBe('{"free": |, "city": "a"}');
    expect(taken('{"cit|": 1}', '"city"')).toBe('{"city"|: 1}');
  });

  it('are those of every option that still matches', () => {
    expect(labels('{"shape": {|}}')).toEqual(['"kind"', '"radius"', '"side"']);
    expect(labels('{"shape": {"kind": "square", |}}')).toEqual(['"side"']);
  });

  it('for an object without properties are those of its examples, with their values', () => {
    expect(labels('{"free": {|}}')).toEqual(['"colour"', '"size"']);
    expect(labels('{"free": {"size": {|}}}')).toEqual(['"w"']);
    expect(taken('{"free": {|}}', '"colour"')).toBe('{"free": {"colour": "red"|}}');
    expect(offered('{|}', { type: 'object', additionalProperties: true, propertyNames: { enum: ['north'] } }).completions[0]?.label).toBe(
      '"north"',
    );
  });

  it('have a description', () => {
    const [city, unit] = offered('{|}').completions;
    expect(city).toMatchObject({ detail: 'Text, required', description: 'Where it is.' });
    expect(unit).toMatchObject({ detail: 'One of 2', description: null });
  });

  it('follow conditions', () => {
    const schema = {
      type: 'object',
      properties: { by: { enum: ['post', 'mail'] } },
      if: { properties: { by: { const: 'post' } }, required: ['by'] },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: { properties: { street: { type: 'string' } } },
      else: { properties: { address: { type: 'string' } } },
    };
    expect(offered('{"by": "post", |}', schema).completions.map((offer) => offer.label)).toEqual(['"street"']);
    expect(offered('{"by": "mail", |}', schema).completions.map((offer) => offer.label)).toEqual(['"address"']);
  });
});

describe('values', () => {
  it('are the enum values, defaults, examples and booleans of the schema', () => {
    expect(labels('{"unit": |}')).toEqual(['"celsius"', '"kelvin"']);
    expect(offered('{"unit": "k|"}').completions[0]).toMatchObject({ label: '"kelvin"', detail: 'default' });
    expect(labels('{"loud": t|}')).toEqual(['true']);
    expect(labels('{"days": |}')).toEqual(['3', '7', 'null']);
    expect(labels('{"shape": {"kind": |}}')).toEqual(['"circle"', '"square"']);
    expect(labels('{"stops": [{"kind": "|"}]}')).toEqual(['"bus"', '"ship"']);
    expect(labels('{"any": |}')).toEqual([]);
  });

  it('replace only the token at the cursor', () => {
    expect(taken('{"unit": "c|el"}', '"celsius"')).toBe('{"unit": "celsius"|}');
    expect(taken('{"unit": "k|\n}', '"kelvin"')).toBe('{"unit": "kelvin"|\n}');
    expect(taken('{"loud": f|, "city": "a"}', 'false')).toBe('{"loud": false|, "city": "a"}');
  });

  it('start objects with their required members', () => {
    expect(taken('{"shape": |}', '{"kind":"circle"}')).toBe('{"shape": {"kind":"circle"}|}');
    expect(taken('{"stops": [|]}', '{}')).toBe('{"stops": [{}|]}');
    expect(taken('|', '{"city":""}')).toBe('{"city":""}|');
  });
});

it('completions open automatically on a partial word or a value with few options', () => {
  const comes = (marked: string) => {
    const at = marked.indexOf('|');
    return opensAutomatically(marked.replace('|', ''), at, offered(marked));
  };
  expect(['{"c|"}', '{"unit": |}', '{"loud":|}', '{"unit": "k|"}'].map(comes)).toEqual([true, true, true, true]);
  expect(['{|}', '{"city": |}', '{"city": "x|"}', '|', '{"city|": 1}', '{"days": 3|}'].map(comes)).toEqual(
    Array.from({ length: 6 }, () => false),
  );
});

it('shows the description of a name or value from the schema', () => {
  const words = (marked: string) => descriptionAt(form, marked.replace('|', ''), marked.indexOf('|'));
  expect(words('{"ci|ty": "a"}')).toEqual({ from: 1, to: 7, title: 'city', lines: ['Text', 'Where it is.'] });
  expect(words('{"days": 1|2}')).toMatchObject({ title: 'days', lines: ['Whole number', '1 to 14'] });
  expect(words('{"nothing": |1}')).toBeNull();
  expect(words('{ | }')).toBeNull();
});
