import { expect, it } from 'vitest';
import * as z from 'zod';
import { describeExports } from './describe-exports.ts';

class Described {
  readonly description = 'Greets.';
  readonly parameters = {};

  get label(): string {
    return 'Greetings';
  }

  execute(): string {
    return this.label;
  }
}

class Greeting extends Described {
  readonly name = 'greet_person';
}

it('reads fields of a class instance from its class and superclasses', () => {
  const fields = {
    name: 'greet_person',
    description: 'Greets.',
    parameters: {},
    label: 'Greetings',
    execute: { '@@type': 'function' },
  };
  expect(describeExports({ TOOL: new Greeting(), TOOLS: [new Greeting()] })).toMatchObject({
    ok: true,
    raw: { values: { TOOL: fields, TOOLS: [fields] } },
  });
});

it('marks the objects of a schema library, and reads those that it converted to JSON', () => {
  const city = z.object({ city: z.string().describe('Where') });
  const described = (parameters: unknown) => describeExports({ TOOL: { parameters } });
  for (const parameters of [city, { city: z.string() }, { city: z.string().optional() }])
    expect(JSON.stringify(described(parameters))).toMatch(/"parameters":(?:\{"city":)?\{"@@type":"library schema"\}/);
  expect(described(z.toJSONSchema(city))).toMatchObject({
    raw: { values: { TOOL: { parameters: { type: 'object', properties: { city: { type: 'string', description: 'Where' } } } } } },
  });
});

it('reads only own fields of a plain object', () => {
  expect(describeExports({ TOOL: { name: 'greet_person' } })).toMatchObject({ raw: { values: { TOOL: { name: 'greet_person' } } } });
  const outcome = describeExports({ TOOL: { name: 'greet_person' } });
  expect(outcome.ok && outcome.raw.values['TOOL']).toEqual({ name: 'greet_person' });
});
