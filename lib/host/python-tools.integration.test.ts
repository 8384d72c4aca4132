import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LivingHost, must, startHost } from '#lib/testing/living-host.ts';

/** One-file tools in Python: the schema from the type hints of `run`, and the types of its arguments. */
const BOOK_ROOM = `"""Rooms."""
from __future__ import annotations

import datetime
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, Optional, TypedDict
from uuid import UUID

from switchboard import ToolContext
from ._beds import Bed

INSTRUCTIONS = "Ask for the dates first."


class Board(Enum):
    NONE = "none"
    HALF = "half"


@dataclass
class Guest:
    """Who stays.

    Attributes:
        name: As in the passport
    """

    name: str
    age: int = 18
    friends: list[Guest] = field(default_factory=list)

    def __post_init__(self):
        if self.age < 0:
            raise ValueError("nobody is that young")


class Extras(TypedDict, total=False):
    late: bool


async def run(
    guest: Guest,
    bed: Bed,
    day: datetime.date,
    arrival: datetime.datetime,
    price: Decimal,
    order: UUID,
    nights: Annotated[int, "How long"] = 1,
    board: Board = Board.NONE,
    view: Literal["sea", "street"] = "sea",
    note: Optional[str] = None,
    size: int | str | None = None,
    pair: tuple[int, str] = (1, "a"),
    tags: set[str] = frozenset(),
    rates: dict[int, float] = {},
    extras: Extras = {},
    anything: Any = None,
    ctx: ToolContext = None,
):
    """Books a room.

    Args:
        day: The first
            day
        note (str, optional): What else matters

    Returns:
        What was booked
    """
    ctx.log.info("booking")
    assert isinstance(guest, Guest) and all(isinstance(one, Guest) for one in guest.friends)
    assert isinstance(arrival, datetime.datetime) and isinstance(price, Decimal) and isinstance(order, UUID)
    return {
        "guest": guest, "bed": bed.width, "year": day.year, "hour": arrival.hour, "price": price * nights, "board": board.name,
        "view": view, "note": note, "size": size, "pair": type(pair).__name__, "tags": sorted(tags), "rates": list(rates),
        "extras": extras, "call": ctx.call_id,
    }
`;

const NAME_PERSON = `import sys
from typing import Dict, List, NewType, Sequence, TypedDict, Union

if sys.version_info >= (3, 11):
    from typing import NotRequired

Id = NewType("Id", int)


class Person(TypedDict):
    '''Somebody.

    Attributes:
        first: The given name
    '''

    first: "str"
    last: "NotRequired[str]"


class Model:
    '''Stands in for a model of pydantic.'''

    @classmethod
    def model_json_schema(cls, ref_template):
        part = ref_template.format(model="Part")
        return {"title": "Model", "type": "object", "properties": {"part": {"$ref": part}}, "$defs": {"Part": {"type": "string"}}}

    @classmethod
    def model_validate(cls, value):
        made = cls()
        made.part = value["part"]
        if made.part == "bad":
            raise ValueError("a bad part")
        return made


def run(person: Person, model: Model, numbers: Sequence[Id], by: Union[Dict[str, int], List[int]], /, *, loud=False):
    return [person["first"], type(model).__name__, model.part, numbers, by, loud]
`;

const GIVEN = {
  guest: { name: 'Ada', friends: [{ name: 'Bo', age: 7 }] },
  bed: { width: 2 },
  day: '2026-01-31',
  arrival: '2026-01-31T14:00:00Z',
  price: '10.50',
  order: '00000000-0000-0000-0000-000000000001',
};

describe('a one-file tool in Python', () => {
  let living: LivingHost;
  beforeAll(async () => {
    living = await startHost({
      'tools/_beds.py': 'from typing import NamedTuple\n\nclass Bed(NamedTuple):\n    width: int = 1\n',
      'tools/book_room.py': BOOK_ROOM,
      'tools/name_person.py': NAME_PERSON,
      'tools/add_numbers.py': `def run(*values: float, factor: int = 1, **more: int):\n    """Adds.\n\n    :param values: What to add\n    :param int factor: By what it is multiplied\n    """\n    return [sum(values) * factor, more]\n`,
      'tools/join_words.py': `def run(words, sep: str = " "):\n    """Joins words.\n\n    Parameters\n    ----------\n    words : list\n        What to join\n    sep\n        What stands between them\n    """\n    return sep.join(words)\n`,
    });
  });
  afterAll(() => living.remove());

  it('is named by its file, described by its docstring and typed by its hints', () => {
    const tool = must(living.host.tools.get('book_room'));
    expect(tool).toMatchObject({
      name: 'book_room',
      extension: 'tools/book_room',
      description: 'Books a room.',
      available: true,
    });
    expect(living.extension('tools/book_room')).toMatchObject({
      kind: 'tool',
      runtime: 'python',
      state: 'ready',
      instructions: 'Ask for the dates first.',
    });
    expect(tool.parameters).toEqual({
      type: 'object',
      properties: {
        guest: { $ref: '#/$defs/Guest' },
        bed: { type: 'object', properties: { width: { type: 'integer', default: 1 } }, additionalProperties: false },
        day: { type: 'string', format: 'date', description: 'The first day' },
        arrival: { type: 'string', format: 'date-time' },
        price: { type: 'string', format: 'decimal', pattern: '^[+-]?\\d+(\\.\\d+)?([eE][+-]?\\d+)?$' },
        order: { type: 'string', format: 'uuid' },
        nights: { type: 'integer', description: 'How long', default: 1 },
        board: { type: 'string', enum: ['none', 'half'], default: 'none' },
        view: { type: 'string', enum: ['sea', 'street'], default: 'sea' },
        note: { type: ['string', 'null'], description: 'What else matters' },
        size: { type: ['integer', 'string', 'null'] },
        pair: {
          type: 'array',
          prefixItems: [{ type: 'integer' }, { type: 'string' }],
          items: false,
          minItems: 2,
          maxItems: 2,
          default: [1, 'a'],
        },
        tags: { type: 'array', items: { type: 'string' }, uniqueItems: true, default: [] },
        rates: { type: 'object', additionalProperties: { type: 'number' }, propertyNames: { pattern: '^-?\\d+$' }, default: {} },
        extras: { type: 'object', properties: { late: { type: 'boolean' } }, additionalProperties: false, default: {} },
        anything: {},
      },
      additionalProperties: false,
      required: ['guest', 'bed', 'day', 'arrival', 'price', 'order'],
      $defs: {
        Guest: {
          type: 'object',
          description: 'Who stays.',
          properties: {
            name: { type: 'string', description: 'As in the passport' },
            age: { type: 'integer', default: 18 },
            friends: { type: 'array', items: { $ref: '#/$defs/Guest' }, default: [] },
          },
          required: ['name'],
          additionalProperties: false,
        },
      },
    });
  });

  it('gets its arguments with the hinted types', async () => {
    const call = await living.call('book_room', { ...GIVEN, nights: 2, board: 'half', size: '3', tags: ['b', 'a'], rates: { 1: 2.5 } });
    expect(call).toMatchObject({
      status: 'succeeded',
      result: {
        guest: { name: 'Ada', age: 18, friends: [{ name: 'Bo', age: 7, friends: [] }] },
        bed: 2,
        year: 2026,
        hour: 14,
        price: '21.00',
        board: 'HALF',
        view: 'sea',
        note: null,
        size: '3',
        pair: 'tuple',
        tags: ['a', 'b'],
        rates: [1],
        extras: {},
        call: expect.any(String),
      },
    });
    expect(call.logs).toMatchObject([{ message: 'booking' }]);
  });

  it('reports invalid arguments with their path, including those found only by Python', async () => {
    expect(await living.call('book_room', { ...GIVEN, guest: { name: 'Ada', friends: [{}] }, day: '2026-02-30' })).toMatchObject({
      error: { kind: 'invalid_parameters', issues: [{ path: '/guest/friends/0/name' }, { path: '/day' }] },
    });
    expect(await living.call('book_room', { ...GIVEN, guest: { name: 'Ada', friends: [{ name: 'Bo', age: -1 }] } })).toMatchObject({
      error: { kind: 'invalid_parameters', issues: [{ path: '/guest/friends/0', message: 'is not accepted: nobody is that young' }] },
    });
  });

  it('supports models, aliases, unions and positional-only parameters', async () => {
    expect(must(living.host.tools.get('name_person')).parameters).toMatchObject({
      properties: {
        person: { description: 'Somebody.', properties: { first: { type: 'string', description: 'The given name' } }, required: ['first'] },
        model: { type: 'object', properties: { part: { $ref: '#/$defs/Part' } } },
        numbers: { type: 'array', items: { type: 'integer' } },
        by: { anyOf: [{ type: 'object' }, { type: 'array', items: { type: 'integer' } }] },
        loud: { default: false },
      },
      required: ['person', 'model', 'numbers', 'by'],
      $defs: { Part: { type: 'string' } },
    });
    const given = { person: { first: 'Ada' }, model: { part: 'a' }, numbers: [1], by: [2], loud: true };
    expect((await living.call('name_person', given)).result).toEqual(['Ada', 'Model', 'a', [1], [2], true]);
    expect(await living.call('name_person', { ...given, model: { part: 'bad' } })).toMatchObject({
      error: { kind: 'invalid_parameters', issues: [{ path: '/model', message: 'is not accepted: a bad part' }] },
    });
  });

  it('accepts variadic, keyword and untyped arguments', async () => {
    expect((await living.call('add_numbers', { values: [1, 2.5], factor: 2, x: 3 })).result).toEqual([7, { x: 3 }]);
    expect((await living.call('add_numbers', {})).result).toEqual([0, {}]);
    expect(must(living.host.tools.get('add_numbers')).parameters).toMatchObject({
      properties: { values: { description: 'What to add' }, factor: { description: 'By what it is multiplied' } },
      additionalProperties: { type: 'integer' },
    });
    const words = must(living.host.tools.get('join_words'));
    expect(words.parameters).toMatchObject({
      properties: { words: { description: 'What to join' }, sep: { description: 'What stands between them', default: ' ' } },
      required: ['words'],
    });
    expect(words.warnings.join(' ')).toContain('`words` has no type hint');
    expect((await living.call('join_words', { words: ['a', 'b'] })).result).toBe('a b');
  });
});
