import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LivingHost, must, startHost } from '#lib/testing/living-host.ts';

/** One-file tools in Python whose hints are meant for type checkers. */
const BOOK_TABLE = `from __future__ import annotations

import typing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    import decimal
    from datetime import date as Day
    from pandas_of_nobody import DataFrame, Series
    from ._guests import Guest

    Seats = list[int]

if typing.TYPE_CHECKING:
    from . import _guests as guests


@dataclass
class Order:
    """What is ordered."""

    dish: str
    price: decimal.Decimal
    frame: Optional[Series] = None


def run(day: Day, guest: Guest, other: guests.Guest, seats: Seats, order: Order, frame: DataFrame | None = None):
    assert "Day" not in globals() and "decimal" not in globals()
    return [day.year, guest["name"], other["name"], seats, type(order.price).__name__, frame]
`;

const GUESTS = `from __future__ import annotations
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from uuid import UUID


class Guest(TypedDict):
    """Who comes."""

    name: str
    id: UUID
`;

const PAINT = `from __future__ import annotations
import sys
from datetime import date
from typing import TypedDict

if sys.version_info >= (3, 11):
    from typing import NotRequired, Unpack


class Look(TypedDict):
    """How it looks.

    Attributes:
        color: Of the paint
    """

    color: str
    due: NotRequired[date]


def run(width: int, **look: Unpack[Look]):
    """Paints.

    Args:
        width: In metres
        due: When it must be dry
    """
    return [width, look["color"], look["due"].year if "due" in look else None]
`;

const MISSPELT = `from __future__ import annotations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import date


def run(day: dat):
    return day
`;

/** Hints are evaluated in place; since Python 3.14 on request. */
const atOnce = (source: string): string =>
  source.replace('from __future__ import annotations\n', '').replaceAll('_guests', '_guests_at_once');
const isAtLeast = (minor: number): boolean =>
  execFileSync('python3', ['-c', `import sys; print(sys.version_info >= (3, ${minor}))`], { encoding: 'utf8' }).trim() === 'True';

let living: LivingHost;
beforeAll(async () => {
  living = await startHost({
    'tools/book_table.py': BOOK_TABLE,
    'tools/_guests.py': GUESTS,
    'tools/book_at_once.py': atOnce(BOOK_TABLE),
    'tools/_guests_at_once.py': atOnce(GUESTS),
    'tools/paint.py': PAINT,
    'tools/misspelt.py': MISSPELT,
  });
});
afterAll(() => living.remove());

describe('names that are imported under `if TYPE_CHECKING:`', () => {
  it('work in hints, and unresolvable ones accept any JSON with a warning', () => {
    const tool = must(living.host.tools.get('book_table'));
    const guest = {
      type: 'object',
      description: 'Who comes.',
      properties: { name: { type: 'string' }, id: { type: 'string', format: 'uuid' } },
    };
    expect(tool.parameters).toMatchObject({
      properties: {
        day: { type: 'string', format: 'date' },
        guest,
        other: guest,
        seats: { type: 'array', items: { type: 'integer' } },
        order: { properties: { dish: { type: 'string' }, price: { type: 'string' }, frame: {} } },
        frame: {},
      },
      required: ['day', 'guest', 'other', 'seats', 'order'],
    });
    expect(tool.warnings.filter((warning) => warning.includes('type checkers'))).toEqual([
      expect.stringMatching(/^The type of the parameter `frame` .*pandas_of_nobody.*accepts any JSON/),
      expect.stringMatching(/^The type of `frame` of `Order` .*accepts any JSON/),
    ]);
  });

  it('work without the future import when Python postpones hints, and are undefined before', () => {
    if (isAtLeast(14)) {
      const [late, early] = ['book_table', 'book_at_once'].map((name) => must(living.host.tools.get(name)));
      expect([early?.parameters, early?.warnings]).toEqual([late?.parameters, late?.warnings]);
    } else {
      expect(living.extension('tools/book_at_once')?.failure).toMatchObject({
        code: 'import_error',
        message: expect.stringContaining('is not defined'),
        hint: expect.stringContaining('from __future__ import annotations'),
      });
    }
  });

  it('convert arguments, and are not added to the module', async () => {
    const guest = { name: 'Ada', id: '8f14e45f-ceea-467f-ab1a-9f2b1c0d3e4f' };
    const args = { day: '2026-03-01', guest, other: guest, seats: [1], order: { dish: 'soup', price: '1.50' }, frame: { a: 1 } };
    expect(await living.call('book_table', args)).toMatchObject({
      status: 'succeeded',
      result: [2026, 'Ada', 'Ada', [1], 'Decimal', { a: 1 }],
    });
  });

  it('do not hide an undefined name', () => {
    expect(living.extension('tools/misspelt')?.failure).toMatchObject({
      code: 'import_error',
      message: expect.stringContaining("'dat' is not defined"),
    });
  });
});

describe('a TypedDict unpacked into keyword arguments', () => {
  it('defines the fields, and allows no others', async () => {
    if (!isAtLeast(11)) {
      expect(living.extension('tools/paint')?.failure).toMatchObject({ message: expect.stringContaining("'Unpack' is not defined") });
      return;
    }
    expect(must(living.host.tools.get('paint')).parameters).toEqual({
      type: 'object',
      properties: {
        width: { type: 'integer', description: 'In metres' },
        color: { type: 'string', description: 'Of the paint' },
        due: { type: 'string', format: 'date', description: 'When it must be dry' },
      },
      required: ['width', 'color'],
      additionalProperties: false,
    });
    expect((await living.call('paint', { width: 2, color: 'red', due: '2026-03-01' })).result).toEqual([2, 'red', 2026]);
    expect((await living.call('paint', { width: 2, color: 'red' })).result).toEqual([2, 'red', null]);
    expect(await living.call('paint', { width: 2, colour: 'red' })).toMatchObject({ error: { kind: 'invalid_parameters' } });
  });
});
