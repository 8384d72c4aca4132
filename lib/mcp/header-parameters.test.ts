import { describe, expect, it } from 'vitest';
import { checkHeaderParameters, decodeHeaderValue, readHeaderParameters } from './header-parameters.ts';

const encoded = (text: string): string => `=?base64?${Buffer.from(text).toString('base64')}?=`;

describe('the value of a header', () => {
  it.each([
    ['plain', 'plain'],
    ['  spaces around\t', 'spaces around'],
    [encoded('grüße'), 'grüße'],
    ['=?base64?SGVsbG8=', '=?base64?SGVsbG8='],
    ['=?base64??=', ''],
  ])('%j is %j', (given, value) => expect(decodeHeaderValue(given)).toBe(value));

  it.each(['=?base64?SGVsbG8?=', '=?base64?SGVs!!!bG8=?=', '=?base64?/w==?='])('%s is not a valid value', (given) =>
    expect(decodeHeaderValue(given)).toBeNull(),
  );
});

describe('parameters that are repeated in headers', () => {
  const parameters = readHeaderParameters({
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      place: { type: 'object', properties: { floor: { type: 'integer', 'x-mcp-header': 'Floor' } } },
      list: { type: 'array', items: { type: 'string', 'x-mcp-header': 'Never' } },
      strange: { type: 'string', 'x-mcp-header': 'not a token' },
    },
  });
  const check = (args: Record<string, unknown>, headers: Record<string, string>) =>
    checkHeaderParameters(parameters, args, { header: (name) => headers[name] });

  it('are found at any depth of properties, and nowhere else', () => {
    expect(parameters).toEqual([
      { path: ['region'], header: 'mcp-param-region', isNumber: false },
      { path: ['place', 'floor'], header: 'mcp-param-floor', isNumber: true },
    ]);
  });

  it('match when they are equal, numbers by value', () => {
    expect(check({ region: 'north', place: { floor: 3 } }, { 'mcp-param-region': 'north', 'mcp-param-floor': '3.0' })).toBeNull();
    expect(check({ region: 'nørd' }, { 'mcp-param-region': encoded('nørd') })).toBeNull();
  });

  it('need no header without a value', () => {
    expect(check({ region: null }, {})).toBeNull();
    expect(check({}, { 'mcp-param-region': 'ignored' })).toBeNull();
  });

  it('are refused when they are missing, different, or not a valid number', () => {
    expect(check({ region: 'north' }, {})).toMatchObject({
      status: 400,
      code: -32_020,
      message: expect.stringContaining('mcp-param-region is missing'),
    });
    expect(check({ region: 'north' }, { 'mcp-param-region': 'South' })).toMatchObject({ code: -32_020 });
    expect(check({ place: { floor: 16 } }, { 'mcp-param-floor': '0x10' })).toMatchObject({ code: -32_020 });
  });
});
