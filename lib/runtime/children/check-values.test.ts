import { expect, it } from 'vitest';
import { invalidArguments, invalidResult, issuesOf, readArguments } from './check-values.ts';
import { createSchemaCompiler } from './validators.ts';

it("reports an invalid default as a default, not as the caller's value", () => {
  const properties = { 'a/b': { type: 'integer', default: 'x' }, c: { type: 'integer' }, d: { type: 'integer' } };
  const compiled = createSchemaCompiler().compile({ type: 'object', properties, required: ['d'] });
  if (!compiled.ok) throw new Error(compiled.message);
  expect(readArguments(compiled.validate, '{"c":"y"}').issues.map(({ path, message }) => `${path} ${message}`)).toEqual([
    '/d is required, but it is missing',
    '/a~1b is not given, and its default must be a whole number, but it is a string',
    '/c must be a whole number, but it is a string',
  ]);
  expect(readArguments(compiled.validate, '{"a/b":"y","d":1}').issues).toMatchObject([
    { path: '/a~1b', message: 'must be a whole number, but it is a string' },
  ]);
});

it('calls an unknown field of a result a property', () => {
  const compiled = createSchemaCompiler().compile({ type: 'object', properties: { ok: {} }, additionalProperties: false });
  if (!compiled.ok) throw new Error(compiled.message);
  expect(invalidResult(issuesOf(compiled.validate, { a: 1 }, '{"a":1}'), null)).toMatchObject({
    message: 'The tool\'s result does not match its own output_schema: /a is not a known property; known are: "ok".',
    issues: [{ path: '/a', message: 'is not a known property; known are: "ok"' }],
  });
});

it('ends the message with one mark', () => {
  expect(invalidArguments([{ path: '/citty', keyword: 'x', message: 'is unknown; did you mean "city"?' }]).message).toMatch(/"city"\?$/);
  expect(invalidArguments([{ path: '/city', keyword: 'x', message: 'must be a string' }]).message).toMatch(/a string\.$/);
});
