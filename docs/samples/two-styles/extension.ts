import type { Tool } from 'switchboard';

interface Range {
  from: number;
  to: number;
}

const shorthand: Tool<Range> = {
  label: 'dice',
  name: 'roll_die',
  description: 'Roll a die once and answer the number.',
  parameters: {
    from: { type: 'integer', default: 1, description: 'Least number.' },
    to: { type: 'integer', required: true, minimum: 2, description: 'Greatest number.' },
  },
  execute: ({ from, to }) => from + Math.floor(Math.random() * (to - from + 1)),
  examples: [{ to: 6 }],
};

const jsonSchema: Tool<{ dice: Range[] }> = {
  label: 'dice',
  name: 'roll_dice',
  description: 'Roll several dice and answer the sum.',
  parameters: {
    type: 'object',
    properties: {
      dice: {
        type: 'array',
        minItems: 1,
        description: 'One entry for each die.',
        items: {
          type: 'object',
          properties: { from: { type: 'integer' }, to: { type: 'integer' } },
          required: ['from', 'to'],
        },
      },
    },
    required: ['dice'],
    additionalProperties: false,
  },
  execute: ({ dice }) => dice.reduce((sum, { from, to }) => sum + from + Math.floor(Math.random() * (to - from + 1)), 0),
  examples: [{ dice: [{ from: 1, to: 6 }] }],
};

export const TOOLS = [shorthand, jsonSchema];
