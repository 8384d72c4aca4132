import { expect, test } from 'vitest';
import { lintTool } from './lint-tool.ts';

const good = {
  name: 'get_weather',
  description: 'Current weather of a city, in Celsius.',
  parameters: { type: 'object', properties: { city: { type: 'string', description: 'Name of the place, in English' } } },
};

test('returns no warnings for a well described tool', () => {
  expect(lintTool(good)).toEqual([]);
  expect(lintTool({ ...good, description: '天気を返します' })).toEqual([]);
  expect(lintTool({ ...good, name: 'summarize_page' })).toEqual([]);
});

test.each([
  ['getWeather', 'The name "getWeather" is not snake_case; "get_weather" would be.'],
  ['weather', 'The name "weather" contains no verb; begin it with one, as in "get_weather".'],
  ['run-it', 'The name "run-it" is not snake_case; "run_it" would be.'],
])('warns about the name %s', (name, warning) => {
  expect(lintTool({ ...good, name })).toEqual([warning]);
});

test.each(['', '  ', 'Get weather', 'This tool gets.', 'The get_weather tool', 'TODO', '…'])(
  'warns about the description %j',
  (description) => {
    const warnings = lintTool({ ...good, description });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('The description');
  },
);

test('warns about parameters without a meaningful description', () => {
  const parameters = {
    type: 'object',
    properties: { city: { type: 'string' }, unit: { type: 'string', description: 'The unit' }, shared: { $ref: '#/$defs/shared' } },
  };
  expect(lintTool({ ...good, parameters })).toEqual([
    'The parameter "city" has no description; say what it means, in which unit or format.',
    'The description of the parameter "unit" only repeats its name; say what it means, in which unit or format.',
  ]);
});

test('is bounded', () => {
  const properties = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`p${index}`, { type: 'string' }]));
  expect(lintTool({ ...good, parameters: { type: 'object', properties } })).toHaveLength(51);
});
