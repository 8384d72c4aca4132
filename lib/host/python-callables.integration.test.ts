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

const MARK_PLACES = `from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from typing import NamedTuple, Optional, Union
from uuid import UUID


class Place(NamedTuple):
    x: int
    y: int = 0


@dataclass
class Trip:
    name: str
    start: Place = Place(1, 2)


def run(
    trip: Trip,
    end: Place = Place(3),
    more: list[Place] = [Place(5, 6)],
    pair: tuple[int, int] = Place(7, 8),
    tags: set[str] = {"c", "b", "a", "d", "e"},
    when: Union[datetime, date, None] = None,
    price: Union[Decimal, time, UUID, str] = "free",
):
    """Marks places."""
    return [repr(one) for one in (trip, end, more, pair, sorted(tags), when, price)]
`;

/** Replaces annotated_types and pydantic, which need not be installed. */
const LIMITS = `class Limit:
    def __init__(self, **limits):
        vars(self).update(limits)


class Field:
    def __init__(self, default=..., *, default_factory=None, description=None, **limits):
        self.default, self.default_factory, self.description = default, default_factory, description
        self.metadata = [Limit(**limits)]

    def is_required(self):
        return self.default is ... and self.default_factory is None
`;

const LIMIT_ALL = `import itertools
from datetime import date, timedelta
from decimal import Decimal
from typing import Annotated, Optional, Union
from ._limits import Field, Limit

numbers = itertools.count(1)


def run(
    city: Annotated[str, Field(description="Where")],
    most: Annotated[int, Field(default=5)],
    tags: Annotated[Optional[list[str]], Field(max_length=2)] = None,
    sizes: Annotated[dict[str, int], Limit(min_length=1)] = {"a": 1},
    price: Annotated[Decimal, Field(gt=0, decimal_places=2, max_digits=4, multiple_of=Decimal("0.05"))] = Decimal("1.50"),
    day: Annotated[date, Limit(ge=date(2026, 1, 1))] = date(2026, 1, 2),
    wait: Annotated[timedelta, Limit(lt=timedelta(hours=1))] = timedelta(seconds=1),
    data: Annotated[bytes, Limit(max_length=4)] = b"abcd",
    either: Annotated[Union[list[int], int, None], Limit(min_length=1, ge=1)] = None,
    number: Annotated[int, Field(default_factory=lambda: next(numbers))] = Field(default_factory=lambda: next(numbers)),
    words: list[str] = Field(default_factory=list, max_length=3),
):
    """Limits all."""
    return [city, most, number, words]
`;

const ADD_THREE = `def run(a: int, b: int, c: int):
    """Args:
        a: First
        b (int): Second
            and more
        c: Third
    """
    return a + b + c
`;

const ADD_LISTED = `def run(a: int, b: int, c: int):
    """Adds.

    Args:
        - \`a\` (int): First
        - \`b\`: Second
          - and: more
        - c: Third
    """
    return a + b + c
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
    'tools/add_three.py': ADD_THREE,
    'tools/add_listed.py': ADD_LISTED,
    'tools/mark_places.py': MARK_PLACES,
    'tools/_limits.py': LIMITS,
    'tools/limit_all.py': LIMIT_ALL,
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

it('shows a named tuple as the form that its hint accepts, and a set in the same order in each process', async () => {
  const { parameters, warnings } = must(living.host.tools.get('mark_places'));
  expect(parameters).toMatchObject({
    properties: {
      trip: { properties: { start: { default: { x: 1, y: 2 } } } },
      end: { default: { x: 3, y: 0 } },
      more: { default: [{ x: 5, y: 6 }] },
      pair: { default: [7, 8] },
      tags: { default: ['a', 'b', 'c', 'd', 'e'] },
    },
  });
  expect(warnings.filter((one) => one.includes('default'))).toEqual([]);
  expect((await living.call('mark_places', { trip: { name: 'x' } })).result).toEqual([
    "Trip(name='x', start=Place(x=1, y=2))",
    'Place(x=3, y=0)',
    '[Place(x=5, y=6)]',
    expect.stringMatching(/7.*8/),
    "['a', 'b', 'c', 'd', 'e']",
    'None',
    "'free'",
  ]);
});

it.each([
  ['when', '2026-01-31', 'datetime.date(2026, 1, 31)'],
  ['when', '2026-01-31T09:30:00', null],
  ['when', '2026-01-31T09:30:00Z', 'datetime.datetime(2026, 1, 31, 9, 30, tzinfo=datetime.timezone.utc)'],
  ['price', '1_000', "'1_000'"],
  ['price', '1.5', "Decimal('1.5')"],
  ['price', '09', "Decimal('9')"],
  ['price', 'T09', "'T09'"],
  ['price', '09:30', 'datetime.time(9, 30)'],
  ['price', 'c0ffee00c0ffee00c0ffee00c0ffee00', "'c0ffee00c0ffee00c0ffee00c0ffee00'"],
  ['price', 'c0ffee00-c0ff-ee00-c0ff-ee00c0ffee00', "UUID('c0ffee00-c0ff-ee00-c0ff-ee00c0ffee00')"],
])('makes the member of a union whose format a text has: %s %s', async (name, text, made) => {
  const call = await living.call('mark_places', { trip: { name: 'x' }, [name]: text });
  if (made === null) expect(call.error).toMatchObject({ kind: 'invalid_parameters' });
  else expect(call.result).toContain(made);
});

it('reads the default of an annotated field, and calls its factory for each call', async () => {
  const { parameters } = must(living.host.tools.get('limit_all'));
  expect(parameters).toMatchObject({ properties: { most: { default: 5 }, words: { default: [] } }, required: ['city'] });
  expect(parameters['properties']).toHaveProperty('number', { type: 'integer' });
  expect((await living.call('limit_all', { city: 'x' })).result).toEqual(['x', 5, 1, []]);
  expect((await living.call('limit_all', { city: 'x' })).result).toEqual(['x', 5, 2, []]);
});

it('limits values of every type', async () => {
  expect(must(living.host.tools.get('limit_all')).parameters['properties']).toMatchObject({
    tags: { type: ['array', 'null'], maxItems: 2 },
    sizes: { type: 'object', minProperties: 1 },
    price: { type: 'string', default: '1.50' },
    day: { default: '2026-01-02' },
    data: { contentEncoding: 'base64', default: 'YWJjZA==' },
    either: { anyOf: [{ type: 'array', minItems: 1 }, { type: 'integer', minimum: 1 }, { type: 'null' }] },
  });
  const given = { city: 'x', tags: null, price: '1.25', day: '2025-12-31', wait: 3_600, data: 'YWJjZGU=', either: [1] };
  expect((await living.call('limit_all', given)).error).toMatchObject({
    issues: [
      { path: '/day', message: 'must be 2026-01-01 or more' },
      { path: '/wait', message: 'must be less than 1:00:00' },
      { path: '/data', message: 'must have a length of 4 or less' },
    ],
  });
  const prices = ['-1', '1.250', '123.45', '1.26', '1E+4'].map((price) => living.call('limit_all', { city: 'x', price }));
  expect((await Promise.all(prices)).map(({ error }) => error?.issues?.[0]?.message)).toEqual([
    'must be more than 0',
    'must have 2 decimal places or fewer',
    'must have 4 digits or fewer',
    'must be a multiple of 0.05',
    'must have 4 digits or fewer',
  ]);
});

it.each([
  ['add_three', '', 'Second and more'],
  ['add_listed', 'Adds.', 'Second - and: more'],
])('reads a docstring that starts with its parameters, or has them in a list: %s', (name, description, second) => {
  const tool = must(living.host.tools.get(name));
  expect(tool.description).toBe(description);
  expect(tool.parameters['properties']).toMatchObject({
    a: { description: 'First' },
    b: { description: second },
    c: { description: 'Third' },
  });
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
