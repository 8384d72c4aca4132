import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LivingHost, must, startHost } from '#lib/testing/living-host.ts';

/** Rarer forms of hints and defaults, as in files written for other hosts. */
const STORE_THINGS = `from __future__ import annotations
import collections
from dataclasses import dataclass, field, InitVar
from typing import Any, ClassVar, Generic, NamedTuple, Optional, TypeVar

T = TypeVar("T")
U = TypeVar("U")


@dataclass
class Box(Generic[T]):
    item: T
    more: list[T] = field(default_factory=list)
    inner: Optional[Box[T]] = None


@dataclass
class Labelled(Box[int], Generic[U]):
    label: Optional[U] = None


@dataclass
class Span:
    start: int
    size: InitVar[int]
    end: int = field(init=False)
    most: ClassVar[int] = 9

    def __post_init__(self, size):
        self.end = self.start + size


class Pair(NamedTuple):
    a: int
    b: str


def run(box: Box[Pair], labelled: Labelled[str], span: Span = Span(1, 2), none: tuple[()] = (), ctx: Unheard = None) -> pd.DataFrame:
    """Stores things."""
    return {
        "box": [type(box.item).__name__, [type(one).__name__ for one in box.more], box.inner and type(box.inner).__name__],
        "labelled": [labelled.item, labelled.label],
        "end": span.end,
        "lists": [range(2), collections.deque([1]), {"a": 1}.keys(), {"a": 1}.values(), {"a": 1}.items()],
    }
`;

/** Replaces pydantic, which need not be installed. */
const FIELDS = `class FieldInfo:
    def __init__(self, default=..., *, default_factory=None, description=None, **limits):
        self.default, self.default_factory, self.description = default, default_factory, description
        self.metadata = [type("Limit", (), limits)()]

    def is_required(self):
        return self.default is ... and self.default_factory is None


def Field(*given, **more):
    return FieldInfo(*given, **more)


class Doc:
    def __init__(self, documentation):
        self.documentation = documentation
`;

const FIND_FLATS = `from dataclasses import dataclass
from typing import Annotated
from ._fields import Doc, Field


@dataclass
class Size:
    """As a dataclass of pydantic has its fields."""

    least: int = Field(ge=1)
    most: int = Field(9, description="At most")


def run(size: Size, city: str = Field(description="Where"), halls: int = Field(2, ge=1), tags: list[str] = Field(default_factory=list), near: Annotated[str, Doc("What is near")] = "sea"):
    """Finds flats."""
    return [city, halls, tags, near]
`;

const TAKE_FORMS = `from __future__ import annotations
import collections
import datetime
import enum
import os
import pathlib
import re
import zoneinfo
from collections import Counter, OrderedDict, defaultdict, deque
from fractions import Fraction
from ipaddress import IPv4Address, IPv6Network
from typing import Deque, Literal, Optional


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


def run(
    address: IPv4Address,
    network: IPv6Network | None = None,
    zone: zoneinfo.ZoneInfo = zoneinfo.ZoneInfo("UTC"),
    number: complex = 1j,
    share: Fraction | None = None,
    pattern: re.Pattern[str] = re.compile("a"),
    path: os.PathLike[str] = None,
    pure: pathlib.PurePosixPath = None,
    data: bytearray = b"",
    times: Deque[Optional[datetime.time]] = (),
    groups: defaultdict[str, list[int]] = {},
    nested: defaultdict[str, defaultdict[str, int]] = {},
    counts: Counter[str] = {},
    order: OrderedDict[str, int] = {},
    by_level: dict[Level, str] = {},
    by_choice: dict[Literal[1, 2], str] = {},
    by_day: dict[datetime.date, int] = {},
):
    """Takes forms."""
    groups["new"].append(1)
    nested["a"]["b"] += 1
    return {name: [type(value).__name__, value] for name, value in locals().items()}
`;

const KEEP_JSON = `from dataclasses import dataclass
from typing import Dict, List, Optional, Union

Json = Union[str, int, None, List["Json"], Dict[str, "Json"]]
Tree = dict[str, "Tree"]


def run(json: Json, rows: "list[Json] | None" = None, tree: Tree = {}):
    """Keeps JSON."""
    return [json, rows, tree]
`;

const GIVE_KEYS = `import collections
import datetime
import enum
import ipaddress


class Color(enum.Enum):
    RED = "red"


def run():
    return {
        "numbers": {1: "a", -2: {3: "b"}},
        "enums": {Color.RED: 1},
        "days": {datetime.date(2026, 1, 31): 1},
        "addresses": {ipaddress.ip_address("::1"): ipaddress.ip_interface("192.0.2.1/24")},
        "ambiguous": {1: "a", "1": "b"},
        "pairs": {(1, 2): 3},
        "truths": {True: 1},
        "counts": collections.Counter("aab"),
        "number": complex(1, -2),
    }
`;

const PLAN_TRIPS = `import datetime as dt
import enum
import typing
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Optional, TypedDict
from ._fields import Field

#: Since Python 3.11.
Self = getattr(typing, "Self", "Stop")


class Way(enum.Enum):
    ANY = None
    DIRECT = True


@dataclass
class Place:
    """
    Attributes:
        name: As on the map
        built: When it was built
    """

    name: str
    built: dt.datetime = dt.datetime(2024, 1, 1)


@dataclass
class Stop(Place):
    """A place of a trip.

    Attributes:
        built: When the stop was built
    """

    next: Optional[Self] = None


class Ticket(TypedDict):
    amount: Decimal
    count: int


def run(
    stop: Stop,
    ticket: Ticket = {"amount": Decimal("2.50"), "count": 1},
    way: Way = Way.DIRECT,
    since: dt.datetime = dt.datetime(2024, 1, 1),
    until: dt.datetime = dt.datetime(2024, 1, 1, tzinfo=dt.timezone.utc),
    step: Decimal = Decimal("1E-8"),
    first: Stop = Stop("a"),
    most: Annotated[int, Field(ge=1)] = 0,
    words: list[str] = [],
    pairs: list[str] = [],
):
    """Plans trips.

    Args:
        words (list of str): The words.
        pairs (list of (str, (int, int)) pairs): The pairs.
    """
    return [stop.next and type(stop.next).__name__, way.name, since, until, step, first.built, most, Decimal("1E+2")]
`;

describe('a one-file tool in Python that was written for another host', () => {
  let living: LivingHost;
  beforeAll(async () => {
    living = await startHost({
      'tools/store_things.py': STORE_THINGS,
      'tools/_fields.py': FIELDS,
      'tools/find_flats.py': FIND_FLATS,
      'tools/take_forms.py': TAKE_FORMS,
      'tools/keep_json.py': KEEP_JSON,
      'tools/give_keys.py': GIVE_KEYS,
      'tools/plan_trips.py': PLAN_TRIPS,
      'tools/count_rows.py': 'def run(most: int = "all"):\n    """Counts the rows of a table."""\n    return most\n',
      'tools/stream_rows.py': 'async def run():\n    """Streams rows."""\n    yield 1\n',
      'tools/ask_unheard.py': 'def run(\n    a: int,\n    b: "Unheard" = None,\n):\n    return a\n',
      'tools/pick_flags.py': 'import enum\n\nclass Way(enum.Flag):\n    UP = 1\n\ndef run(way: Way):\n    return 1\n',
      'tools/pick_none.py': 'import enum\n\nclass Way(enum.Enum):\n    pass\n\ndef run(way: Way):\n    return 1\n',
    });
  });
  afterAll(() => living.remove());

  it('reads generic classes with their types, and init-only fields of a dataclass', async () => {
    const pair = {
      type: 'object',
      properties: { a: { type: 'integer' }, b: { type: 'string' } },
      required: ['a', 'b'],
      additionalProperties: false,
    };
    const tool = must(living.host.tools.get('store_things'));
    expect(tool.parameters).toMatchObject({
      properties: {
        box: { $ref: '#/$defs/Box' },
        labelled: { properties: { item: { type: 'integer' }, label: { type: ['string', 'null'] } }, required: ['item'] },
        span: {
          type: 'object',
          properties: { start: { type: 'integer' }, size: { type: 'integer' } },
          required: ['start', 'size'],
          additionalProperties: false,
        },
        none: { items: false, maxItems: 0, default: [] },
      },
      required: ['box', 'labelled'],
      $defs: { Box: { properties: { item: pair, more: { items: pair } } } },
    });
    const box = { item: { a: 1, b: 'x' }, more: [{ a: 2, b: 'y' }], inner: { item: { a: 3, b: 'z' } } };
    const call = await living.call('store_things', { box, labelled: { item: 5, label: 'five' }, span: { start: 3, size: 4 } });
    expect(call).toMatchObject({
      status: 'succeeded',
      result: { box: ['Pair', ['Pair'], 'Box'], labelled: [5, 'five'], end: 7, lists: [[0, 1], [1], ['a'], [1], [['a', 1]]] },
    });
    expect((await living.call('store_things', { box, labelled: { item: 5 } })).result).toMatchObject({ end: 3 });
  });

  it('reads a field used as a default as metadata, not as the default value', async () => {
    expect(must(living.host.tools.get('find_flats')).parameters).toEqual({
      type: 'object',
      properties: {
        size: {
          type: 'object',
          description: 'As a dataclass of pydantic has its fields.',
          properties: { least: { type: 'integer', minimum: 1 }, most: { type: 'integer', description: 'At most', default: 9 } },
          required: ['least'],
          additionalProperties: false,
        },
        city: { type: 'string', description: 'Where' },
        halls: { type: 'integer', minimum: 1, default: 2 },
        tags: { type: 'array', items: { type: 'string' }, default: [] },
        near: { type: 'string', description: 'What is near', default: 'sea' },
      },
      additionalProperties: false,
      required: ['size', 'city'],
    });
    expect((await living.call('find_flats', { city: 'Rome', size: { least: 1 } })).result).toEqual(['Rome', 2, [], 'sea']);
  });

  it('accepts standard library types written as text, and its containers', async () => {
    const call = await living.call('take_forms', {
      address: '192.0.2.1',
      network: '2001:db8::/32',
      zone: 'Europe/Berlin',
      number: '1+2j',
      share: '1/3',
      pattern: 'a.*',
      path: '/x',
      pure: '/y',
      data: 'YWI=',
      times: ['12:30', null],
      groups: { x: [2] },
      counts: { x: 2 },
      order: { y: 1 },
      by_level: { 1: 'low' },
      by_choice: { 2: 'b' },
      by_day: { '2026-01-31': 1 },
    });
    expect(call).toMatchObject({
      status: 'succeeded',
      result: {
        address: ['IPv4Address', '192.0.2.1'],
        network: ['IPv6Network', '2001:db8::/32'],
        zone: ['ZoneInfo', 'Europe/Berlin'],
        number: ['complex', '1+2j'],
        share: ['Fraction', '1/3'],
        pattern: ['Pattern', 'a.*'],
        path: ['PosixPath', '/x'],
        pure: ['PurePosixPath', '/y'],
        data: ['bytearray', { base64: 'YWI=' }],
        times: ['deque', ['12:30:00', null]],
        groups: ['defaultdict', { x: [2], new: [1] }],
        nested: ['defaultdict', { a: { b: 1 } }],
        counts: ['Counter', { x: 2 }],
        order: ['OrderedDict', { y: 1 }],
        by_level: ['dict', { 1: 'low' }],
        by_choice: ['dict', { 2: 'b' }],
        by_day: ['dict', { '2026-01-31': 1 }],
      },
    });
    expect(must(living.host.tools.get('take_forms')).parameters).toMatchObject({
      properties: {
        address: { type: 'string', format: 'ipv4' },
        zone: { type: 'string', default: 'UTC' },
        by_level: { propertyNames: { enum: ['1', '2'] } },
      },
      required: ['address'],
    });
  });

  it('explains the format for an invalid text', async () => {
    expect((await living.call('take_forms', { address: '192.0.2' })).error).toMatchObject({
      issues: [{ path: '/address', message: 'must be an IPv4 address' }],
    });
    const given = { address: '192.0.2.1', network: 'x', zone: 'Nowhere/X', number: 'zz', share: '1/0', pattern: '(', times: ['12:99'] };
    expect((await living.call('take_forms', given)).error).toEqual({
      kind: 'invalid_parameters',
      message: expect.stringContaining(
        ': /network must be an IPv6 network such as "2001:db8::/32"; /zone must be a time zone such as "Europe/Berlin"; /number must be a complex number such as "1+2j"; and 3 more.',
      ),
      issues: [
        { path: '/network', keyword: 'value', message: 'must be an IPv6 network such as "2001:db8::/32"' },
        { path: '/zone', keyword: 'value', message: 'must be a time zone such as "Europe/Berlin"' },
        { path: '/number', keyword: 'value', message: 'must be a complex number such as "1+2j"' },
        { path: '/share', keyword: 'value', message: 'must be a fraction such as "1/3"' },
        { path: '/pattern', keyword: 'value', message: 'must be a regular expression' },
        { path: '/times/0', keyword: 'value', message: 'must be a time such as "09:30:00"' },
      ],
    });
  });

  it('leaves defaults to Python that its schema does not accept', async () => {
    const { properties } = must(living.host.tools.get('plan_trips')).parameters as { properties: Record<string, object> };
    expect(Object.keys(properties).filter((name) => 'default' in (properties[name] ?? {}))).toEqual([
      'ticket',
      'way',
      'until',
      'step',
      'words',
      'pairs',
    ]);
    const local = '2024-01-01T00:00:00';
    const called = await living.call('plan_trips', { stop: { name: 'x', next: { name: 'y' } }, way: null });
    expect(called).toMatchObject({ result: ['Stop', 'ANY', local, `${local}Z`, '1E-8', local, 0, '1E+2'] });
    const again = await living.call('plan_trips', { stop: { name: 'x' }, step: '1E+2' });
    expect(again.result).toEqual([null, 'DIRECT', local, `${local}Z`, '1E+2', local, 0, '1E+2']);
  });

  it('warns about a default of another type', () => {
    const { warnings } = must(living.host.tools.get('count_rows'));
    expect(warnings).toContain('parameters/properties/most/default: the default is a string, but the type is integer.');
  });

  it('reads descriptions of inherited fields, and types with parentheses in a docstring', () => {
    expect(must(living.host.tools.get('plan_trips')).parameters).toMatchObject({
      properties: {
        words: { description: 'The words.' },
        pairs: { description: 'The pairs.' },
      },
      $defs: {
        Stop: {
          description: 'A place of a trip.',
          properties: { name: { description: 'As on the map' }, built: { description: 'When the stop was built' } },
        },
      },
    });
  });

  it('reads recursive aliases', async () => {
    const json = { a: [1, 'x', null, { b: [] }] };
    expect((await living.call('keep_json', { json, rows: ['a', [json]], tree: { a: { b: {} } } })).result).toEqual([
      json,
      ['a', [json]],
      { a: { b: {} } },
    ]);
    expect((await living.call('keep_json', { json: { a: [[true]] }, tree: { a: { b: 1 } } })).error).toMatchObject({
      issues: expect.arrayContaining([
        expect.objectContaining({ path: '/json/a/0/0' }),
        expect.objectContaining({ path: '/tree/a/b' }),
      ]) as unknown,
    });
  });

  it('returns an object with unique key names, as the hint accepts it', async () => {
    expect((await living.call('give_keys', {})).result).toEqual({
      numbers: { 1: 'a', '-2': { 3: 'b' } },
      enums: { red: 1 },
      days: { '2026-01-31': 1 },
      addresses: { '::1': '192.0.2.1/24' },
      ambiguous: [
        [1, 'a'],
        ['1', 'b'],
      ],
      pairs: [[[1, 2], 3]],
      truths: [[true, 1]],
      counts: { a: 2, b: 1 },
      number: '1-2j',
    });
  });

  it('explains how to collect an async generator in a list', async () => {
    expect((await living.call('stream_rows', {})).error).toMatchObject({
      kind: 'result_not_serializable',
      message: expect.stringContaining('Make a list of it: `[one async for one in …]`.'),
    });
  });

  it('names the parameter with an unreadable hint, with its location', () => {
    expect(living.extension('tools/ask_unheard')?.failure).toMatchObject({
      code: 'import_error',
      message: "The type of the parameter `b` of `run` cannot be read: NameError: name 'Unheard' is not defined",
      line: 3,
      column: 8,
    });
  });

  it('explains why an enum is not supported', () => {
    expect(living.extension('tools/pick_flags')?.failure).toMatchObject({
      code: 'type_unsupported',
      message: expect.stringContaining('a flag may have several of its values at once'),
    });
    expect(living.extension('tools/pick_none')?.failure).toMatchObject({
      code: 'type_unsupported',
      message: expect.stringContaining('it has no members'),
    });
  });
});
