import { ToolError } from 'switchboard';
import type { Tool } from 'switchboard';
import { ExpressionError } from './expression-error.ts';
import { evaluate } from './expression.ts';
import { summarise } from './summary.ts';
import { convert, UNITS } from './units.ts';

export const DESCRIPTION = 'Arithmetic, units and summaries of numbers.';

export const INSTRUCTIONS = 'Use these tools instead of computing in your head. Powers bind tighter than a minus in front: -2^2 is -4.';

let calculations = 0;

const calculate: Tool<{ expression: string }> = {
  label: 'math',
  name: 'calculate_expression',
  description:
    'Calculate an arithmetic expression: + - * / % ^, brackets, pi, e, and the functions abs, ceil, cos, exp, floor, ln, log10, max, min, round, sin, sqrt, tan.',
  parameters: {
    expression: { type: 'string', required: true, minLength: 1, maxLength: 1000, description: 'For example: (2 + 3) * sqrt(16)' },
  },
  annotations: { title: 'Calculate', readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  examples: [{ expression: '(2 + 3) * sqrt(16)' }, { expression: 'max(1, 2^10, -3)' }],
  execute({ expression }) {
    try {
      const result = evaluate(expression);
      calculations += 1;
      return { expression, result };
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      throw new ToolError(error.message, { kind: 'invalid_parameters', data: { position: error.position } });
    }
  },
};

const convertUnits: Tool<{ value: number; from: string; to: string }> = {
  label: 'math',
  name: 'convert_units',
  description: 'Convert a length, weight, volume, time, amount of data or temperature from one unit into another.',
  // The second style: a JSON Schema, which may say more than the shorthand above.
  parameters: {
    type: 'object',
    properties: {
      value: { type: 'number', description: 'How much, in the unit `from`.' },
      from: { type: 'string', enum: UNITS, description: 'Unit of `value`.' },
      to: { type: 'string', enum: UNITS, description: 'Unit of the answer; of the same kind as `from`.' },
    },
    required: ['value', 'from', 'to'],
    additionalProperties: false,
  },
  annotations: { title: 'Convert units', readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  examples: [{ value: 26.2, from: 'mi', to: 'km' }],
  execute({ value, from, to }) {
    const converted = convert(value, from, to);
    if (!converted.ok) throw new ToolError(converted.reason, { kind: 'invalid_parameters' });
    return { value, from, to, result: converted.value };
  },
};

const summariseNumbers: Tool<{ numbers: number[] }> = {
  label: 'math',
  name: 'summarise_numbers',
  description: 'Summarise a list of numbers: count, sum, mean, median, least, most and standard deviation.',
  parameters: {
    numbers: {
      type: 'array',
      items: { type: 'number' },
      minItems: 1,
      maxItems: 10_000,
      required: true,
      description: 'The numbers, in any order.',
    },
  },
  output_schema: {
    type: 'object',
    properties: Object.fromEntries(
      ['count', 'sum', 'mean', 'median', 'min', 'max', 'standard_deviation'].map((name) => [name, { type: 'number' }]),
    ),
  },
  annotations: { title: 'Summarise numbers', readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  examples: [{ numbers: [3, 1, 4, 1, 5] }],
  execute({ numbers }) {
    const summary = summarise(numbers);
    if (summary === null)
      throw new ToolError('`numbers` is empty, or too large to add up. Give at least one number.', { kind: 'invalid_parameters' });
    return summary;
  },
};

export const TOOLS = [calculate, convertUnits, summariseNumbers];

/** Shown live on the extension's page; counts from the start of this process. */
export function status() {
  return { calculations, units: UNITS.length };
}
