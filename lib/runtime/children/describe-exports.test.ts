import { expect, it } from 'vitest';
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

it('reads only own fields of a plain object', () => {
  expect(describeExports({ TOOL: { name: 'greet_person' } })).toMatchObject({ raw: { values: { TOOL: { name: 'greet_person' } } } });
  const outcome = describeExports({ TOOL: { name: 'greet_person' } });
  expect(outcome.ok && outcome.raw.values['TOOL']).toEqual({ name: 'greet_person' });
});
