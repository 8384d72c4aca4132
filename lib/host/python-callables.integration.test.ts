import { afterAll, beforeAll, expect, it } from 'vitest';
import type { LivingHost } from '#lib/testing/living-host.ts';
import { must, startHost } from '#lib/testing/living-host.ts';

/** Callables other than a plain function as `run`, and defaults that JSON cannot represent. */
const GREET_GUEST = `from datetime import date


class Greeting:
    """Greets."""

    async def __call__(self, day: date, name: str = "you"):
        return f"{type(day).__name__} {name}"


run = Greeting()
`;

const WELCOME_GUEST = `import functools
from datetime import date


def greet(word: str, day: date, *, name: str):
    """Greets with a word.

    Args:
        day: The day of arrival
    """
    return f"{word} {type(day).__name__} {name}"


run = functools.partial(greet, "welcome", name="you")
`;

const LIMIT_PRICE = `import math


def run(most: float = math.inf, mark: bytes = b"ab"):
    return [most == math.inf, mark.decode()]
`;

const NAME_CONTEXT = `from switchboard import ToolContext


def run(text: str, context: ToolContext):
    return text
`;

const BOOK_STAY = `class Stay:
    @classmethod
    def model_json_schema(cls, ref_template):
        guest = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
        extras = {"type": "object", "properties": {}, "additionalProperties": True}
        return {"type": "object", "properties": {"guest": {"$ref": "#/$defs/Guest"}, "extras": extras}, "$defs": {"Guest": guest}}

    @classmethod
    def model_validate(cls, value):
        return value


def run(stay: Stay):
    return stay
`;

let living: LivingHost;

beforeAll(async () => {
  living = await startHost({
    'tools/greet_guest.py': GREET_GUEST,
    'tools/welcome_guest.py': WELCOME_GUEST,
    'tools/limit_price.py': LIMIT_PRICE,
    'tools/book_stay.py': BOOK_STAY,
    'tools/name_context.py': NAME_CONTEXT,
  });
});
afterAll(async () => living.remove());

it('reads a callable object by its `__call__`', async () => {
  const tool = must(living.host.tools.get('greet_guest'));
  expect(tool.description).toBe('Greets.');
  expect(tool.parameters).toMatchObject({ properties: { day: { format: 'date' }, name: { default: 'you' } }, required: ['day'] });
  expect((await living.call('greet_guest', { day: '2026-01-31' })).result).toBe('date you');
});

it('reads a partial by its function', async () => {
  const tool = must(living.host.tools.get('welcome_guest'));
  expect(tool.description).toBe('Greets with a word.');
  expect(tool.parameters).toMatchObject({ properties: { day: { format: 'date', description: 'The day of arrival' } }, required: ['day'] });
  expect((await living.call('welcome_guest', { day: '2026-01-31' })).result).toBe('welcome date you');
});

it('leaves defaults that JSON cannot represent to Python, and shows bytes as text', async () => {
  const tool = must(living.host.tools.get('limit_price'));
  expect(tool.parameters['properties']).toEqual({
    most: { type: 'number' },
    mark: { type: 'string', contentEncoding: 'base64', default: 'YWI=' },
  });
  expect((await living.call('limit_price', {})).result).toEqual([true, 'ab']);
});

it('explains the name of the context parameter when it has another name', () => {
  expect(living.extension('tools/name_context')?.failure).toMatchObject({
    code: 'type_unsupported',
    hint: expect.stringContaining('`ctx`') as unknown,
  });
});

it('rejects unknown fields in pydantic models, unless they allow extra fields', async () => {
  expect((await living.call('book_stay', { stay: { guest: { name: 'Ada' }, extras: { late: true } } })).status).toBe('succeeded');
  expect((await living.call('book_stay', { stay: { guest: { name: 'Ada', nmae: 'Bo' }, gest: {} } })).error).toMatchObject({
    kind: 'invalid_parameters',
    issues: expect.arrayContaining([
      expect.objectContaining({ path: '/stay/gest' }),
      expect.objectContaining({ path: '/stay/guest/nmae' }),
    ]) as unknown,
  });
});
