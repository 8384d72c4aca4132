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

it('reads of a tool that is an instance what its class and the classes above it have', () => {
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

it('reads nothing of a plain object but what it has itself', () => {
  expect(describeExports({ TOOL: { name: 'greet_person' } })).toMatchObject({ raw: { values: { TOOL: { name: 'greet_person' } } } });
  const outcome = describeExports({ TOOL: { name: 'greet_person' } });
  expect(outcome.ok && outcome.raw.values['TOOL']).toEqual({ name: 'greet_person' });
});
