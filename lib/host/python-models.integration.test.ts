import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LivingHost } from '#lib/testing/living-host.ts';
import { must, startHost } from '#lib/testing/living-host.ts';

/** Types of pydantic itself. Where it is not installed, each of these extensions must fail for that reason alone. */
const KEEP_SPANS = `from __future__ import annotations
from dataclasses import dataclass
from pydantic import BaseModel, model_validator


class Span(BaseModel):
    lo: int
    hi: int

    @model_validator(mode="after")
    def check(self):
        if self.lo > self.hi:
            raise ValueError("lo must not be above hi")
        return self


@dataclass
class Range:
    lo: int
    hi: int

    def __post_init__(self):
        if self.lo > self.hi:
            raise ValueError("lo must not be above hi")


@dataclass
class Point:
    lo: int


def run(
    a: Span = Span(lo=0, hi=1),
    b: Span | None = None,
    c: list[Span] = [],
    d: list[Span | None] = [],
    e: list[Span] | None = None,
    f: dict[str, Span | None] | None = None,
    g: Range | None = None,
    h: Point | Range | Span | None = None,
    i: tuple[Span | None, int] | None = None,
):
    """Keeps the spans that are given."""
    return {name: repr(value) for name, value in locals().items()}
`;

/** Without `pydantic.v1`, pydantic itself is of version 1. */
const PLAN_OLD = `from __future__ import annotations
import enum
from typing import List, Optional, Tuple
try:
    from pydantic.v1 import BaseModel, Field, validator
except ImportError:
    from pydantic import BaseModel, Field, validator


class Mode(enum.Enum):
    FAST = "fast"


class Stop(BaseModel):
    city: str = Field(..., alias="theCity", description="Where")
    at: Tuple[int, str] = (1, "a")
    next: Optional[Stop] = None

    @validator("city")
    def check(cls, value):
        if value == "x":
            raise ValueError("nowhere")
        return value


Stop.update_forward_refs()


def run(stop: Stop, mode: Optional[Mode] = None, more: List[Stop] = []):
    """Plans."""
    return [type(stop).__name__, [one.city for one in more], stop]
`;

const FEED_PETS = `from __future__ import annotations
from typing import Annotated, Literal, Optional, Union
from pydantic import BaseModel, Field, field_validator, model_validator


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int = 9

    @model_validator(mode="after")
    def check(self):
        if self.lives > 9:
            raise ValueError("nine lives at most")
        return self


class Dog(BaseModel):
    kind: Literal["dog"]
    loud_bark: str = Field(alias="loudBark")
    age: int = 1

    @field_validator("loud_bark", "age")
    @classmethod
    def check(cls, value):
        if value in ("", 99):
            raise ValueError("no dog has this")
        return value


class Owner(BaseModel):
    pet: Annotated[Union[Cat, Dog], Field(discriminator="kind")]
    other: Union[Cat, Dog, None] = None


class Named(BaseModel):
    name: str = "none"


class Sized(BaseModel):
    size: int


class Sign(BaseModel):
    size: str


def run(owner: Owner, pet: Annotated[Union[Cat, Dog], Field(discriminator="kind")] = None, thing: Union[Named, Sized, Sign] = None):
    """Feeds pets."""
    return [owner, pet, type(thing).__name__]
`;

const TAKE_TEXTS = `from __future__ import annotations
import datetime
from typing import Annotated, Optional
from pydantic import AfterValidator, AwareDatetime, Base64Bytes, BaseModel, Field, HttpUrl, IPvAnyAddress, NaiveDatetime, SecretStr, StringConstraints, field_validator
from pydantic.dataclasses import dataclass


class Strict(BaseModel, strict=True):
    day: datetime.date
    tags: set[str] = set()


class Login(BaseModel):
    secret: SecretStr = SecretStr("deep")
    home_page: HttpUrl = Field(alias="homePage")
    wait: datetime.timedelta = datetime.timedelta(seconds=5)
    raw: bytes = b"ok"
    since: Optional[NaiveDatetime] = None


@dataclass
class Pair:
    first: int = Field(alias="theFirst")
    second: str = "x"

    @field_validator("second")
    @classmethod
    def check(cls, value):
        if value == "bad":
            raise ValueError("nothing bad")
        return value


def even(value: int) -> int:
    if value % 2:
        raise ValueError("is odd")
    return value


def run(
    url: HttpUrl,
    password: SecretStr = SecretStr("preset"),
    at: Optional[AwareDatetime] = None,
    address: IPvAnyAddress = None,
    data: Base64Bytes = b"",
    urls: list[HttpUrl] = [],
    evens: list[Annotated[int, AfterValidator(even)]] | None = None,
    word: Annotated[str, StringConstraints(strip_whitespace=True, min_length=2)] = "ab",
    strict: Strict | None = None,
    login: Login | None = None,
    pair: Pair | None = None,
    wall: NaiveDatetime | None = None,
):
    """Takes texts."""
    kinds = {name: type(value).__name__ for name, value in locals().items()}
    return {"kinds": kinds, "password": password.get_secret_value(), "secret": login and login.secret.get_secret_value(), "evens": evens,
            "word": word, "values": [url, password, at, address, strict, login, pair, wall]}
`;

const NAME_TWICE = {
  'tools/_one.py':
    'from pydantic import BaseModel\n\nclass Part(BaseModel):\n    a: int\n\nclass One(BaseModel):\n    part: Part\n    parts: list[Part] = []\n',
  'tools/_two.py':
    'from pydantic import BaseModel\n\nclass Part(BaseModel):\n    b: str\n\nclass Two(BaseModel):\n    part: Part\n    parts: list[Part] = []\n',
  'tools/name_twice.py':
    'from ._one import One\nfrom ._two import Two\n\ndef run(one: One, two: Two):\n    """Names."""\n    return [one.part.a, two.part.b]\n',
};

const NO_SCHEMA = `from typing import Callable
from pydantic import BaseModel


class Hooks(BaseModel):
    on_end: Callable[[int], int]


def run(hooks: Hooks):
    return 1
`;

const isThere = (() => {
  try {
    execFileSync('python3', ['-I', '-c', 'from pydantic import TypeAdapter'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

describe('a one-file tool in Python that takes models of pydantic', () => {
  let living: LivingHost;
  beforeAll(async () => {
    living = await startHost({
      'tools/keep_spans.py': KEEP_SPANS,
      'tools/feed_pets.py': FEED_PETS,
      'tools/take_texts.py': TAKE_TEXTS,
      'tools/hook_up.py': NO_SCHEMA,
      'tools/plan_old.py': PLAN_OLD,
      ...NAME_TWICE,
    });
  });
  afterAll(() => living.remove());

  /** The call; without pydantic, why the tool cannot be called. */
  const answerOf = async (tool: string, args: Record<string, unknown>): Promise<unknown> =>
    isThere ? living.call(tool, args) : living.extension(`tools/${tool}`)?.failure;
  const orMissing = (expected: object): object =>
    isThere ? expected : { code: 'import_unresolved', message: expect.stringContaining('pydantic') as unknown };
  const refusedAt = (...issues: readonly (readonly [path: string, message: string])[]) => ({
    status: 'failed',
    error: {
      kind: 'invalid_parameters',
      message: expect.stringContaining(`: ${issues.map(([path, message]) => `${path} ${message}`).join('; ')}.`) as unknown,
      issues: issues.map(([path, message]) => ({ path, keyword: 'value', message })),
    },
  });

  it.each([
    [{ a: { lo: 3, hi: 1 } }, '/a'],
    [{ b: { lo: 3, hi: 1 } }, '/b'],
    [{ c: [{ lo: 3, hi: 1 }] }, '/c/0'],
    [{ d: [null, { lo: 3, hi: 1 }] }, '/d/1'],
    [{ e: [{ lo: 3, hi: 1 }] }, '/e/0'],
    [{ f: { x: { lo: 3, hi: 1 } } }, '/f/x'],
    [{ g: { lo: 3, hi: 1 } }, '/g'],
    [{ h: { lo: 3, hi: 1 } }, '/h'],
    [{ i: [{ lo: 3, hi: 1 }, 1] }, '/i/0'],
  ])('reports where a class rejects its value, at any nesting (%j)', async (args, path) => {
    expect(await answerOf('keep_spans', args)).toMatchObject(orMissing(refusedAt([path, 'is not accepted: lo must not be above hi'])));
  });

  it('passes an instance of the first class that accepts the value', async () => {
    expect(
      await answerOf('keep_spans', {
        b: { lo: 1, hi: 3 },
        d: [null, { lo: 1, hi: 2 }],
        f: { x: null, y: { lo: 1, hi: 1 } },
        h: { lo: 1, hi: 2 },
      }),
    ).toMatchObject(
      orMissing({
        status: 'succeeded',
        result: { b: 'Span(lo=1, hi=3)', d: '[None, Span(lo=1, hi=2)]', f: "{'x': None, 'y': Span(lo=1, hi=1)}", h: 'Range(lo=1, hi=2)' },
      }),
    );
  });

  it('accepts and returns models of pydantic 1', async () => {
    const stop = { theCity: 'Rome', at: [2, 'b'], next: { theCity: 'Oslo' } };
    const read = { ...stop, next: { theCity: 'Oslo', at: [1, 'a'], next: null } };
    expect(await answerOf('plan_old', { stop, more: [stop] })).toMatchObject(orMissing({ result: ['Stop', ['Rome'], read] }));
    expect(await answerOf('plan_old', { stop: { ...stop, next: { theCity: 'x' } } })).toMatchObject(
      orMissing(refusedAt(['/stop/next/theCity', 'is not accepted: nowhere'])),
    );
    expect(await answerOf('plan_old', { stop: { ...stop, at: [1], ctiy: 1 } })).toMatchObject(
      orMissing({ error: { kind: 'invalid_parameters', issues: expect.arrayContaining([expect.objectContaining({ path: '/stop/at' })]) } }),
    );
  });

  it('chooses the model whose schema the value matches, not the first that accepts it', async () => {
    const owner = { pet: { kind: 'cat' } };
    expect(await answerOf('feed_pets', { owner, thing: { size: 1 } })).toMatchObject(orMissing({ result: [{}, null, 'Sized'] }));
    expect(await answerOf('feed_pets', { owner, thing: { size: '1' } })).toMatchObject(orMissing({ result: [{}, null, 'Sign'] }));
    expect(await answerOf('feed_pets', { owner, thing: { name: 'x' } })).toMatchObject(orMissing({ result: [{}, null, 'Named'] }));
  });

  it('reports every error in a model with its path, without the branches of a union', async () => {
    const cat = { kind: 'cat', lives: 10 };
    const dog = { kind: 'dog', loudBark: '', age: 99 };
    expect(await answerOf('feed_pets', { owner: { pet: cat } })).toMatchObject(
      orMissing(refusedAt(['/owner/pet', 'is not accepted: nine lives at most'])),
    );
    expect(await answerOf('feed_pets', { owner: { pet: { kind: 'cat' }, other: cat }, pet: dog })).toMatchObject(
      orMissing(
        refusedAt(
          ['/owner/other', 'is not accepted: nine lives at most'],
          ['/pet/loudBark', 'is not accepted: no dog has this'],
          ['/pet/age', 'is not accepted: no dog has this'],
        ),
      ),
    );
  });

  it('lists all tags of a discriminated union', async () => {
    const message = 'must be one of: "cat", "dog"';
    expect(await answerOf('feed_pets', { owner: { pet: { kind: 'bird' } }, pet: { kind: 'bird', age: 1 } })).toMatchObject(
      orMissing({
        error: {
          kind: 'invalid_parameters',
          issues: expect.arrayContaining([
            { path: '/owner/pet/kind', keyword: 'enum', message },
            { path: '/pet/kind', keyword: 'enum', message },
          ]) as unknown,
        },
      }),
    );
  });

  it('returns models as it accepts them: with their aliases, in the same formats', async () => {
    const dog = { kind: 'dog', loudBark: 'wow', age: 3 };
    expect(await answerOf('feed_pets', { owner: { pet: dog }, pet: dog })).toMatchObject(
      orMissing({ result: [{ pet: dog, other: null }, dog, 'NoneType'] }),
    );
  });

  it('accepts and returns the types of pydantic', async () => {
    expect(
      await answerOf('take_texts', {
        url: 'https://example.org/a',
        at: '2026-01-31T09:30:00Z',
        address: '::1',
        data: 'YWI=',
        urls: ['https://example.org/b'],
        evens: [2, 4],
        word: '  abc ',
        strict: { day: '2026-01-31', tags: ['a'] },
        login: { homePage: 'https://example.org/c', since: '2026-01-31 09:30' },
        pair: { theFirst: 1 },
        wall: '2026-01-31T09:30:00',
      }),
    ).toMatchObject(
      orMissing({
        status: 'succeeded',
        result: {
          kinds: {
            url: 'HttpUrl',
            password: 'SecretStr',
            at: 'datetime',
            address: 'IPv6Address',
            data: 'bytes',
            login: 'Login',
            pair: 'Pair',
          },
          password: 'preset',
          secret: 'deep',
          evens: [2, 4],
          word: 'abc',
          values: [
            'https://example.org/a',
            '**********',
            '2026-01-31T09:30:00Z',
            '::1',
            { day: '2026-01-31', tags: ['a'] },
            { secret: '**********', homePage: 'https://example.org/c', wait: 'PT5S', raw: 'ok', since: '2026-01-31T09:30:00' },
            { theFirst: 1, second: 'x' },
            '2026-01-31T09:30:00',
          ],
        },
      }),
    );
  });

  it('runs the validators of a type, and reports their errors', async () => {
    expect(
      await answerOf('take_texts', {
        url: 'ftp://example.org/',
        evens: [2, 3],
        word: '   x   ',
        address: 'nowhere',
        pair: { theFirst: 1, second: 'bad' },
      }),
    ).toMatchObject(
      orMissing({
        error: {
          kind: 'invalid_parameters',
          message: expect.stringMatching(/^The arguments are invalid: \/url .*; \/address .*; \/evens\/1 .*; and 2 more\.$/) as unknown,
          issues: [
            { path: '/url', message: "is not accepted: URL scheme should be 'http' or 'https'" },
            { path: '/address', message: 'is not accepted: value is not a valid IPv4 or IPv6 address' },
            { path: '/evens/1', message: 'is not accepted: is odd' },
            { path: '/word', message: 'is not accepted: String should have at least 2 characters' },
            { path: '/pair/second', message: 'is not accepted: nothing bad' },
          ],
        },
      }),
    );
  });

  it('distinguishes models with the same name', async () => {
    expect(await answerOf('name_twice', { one: { part: { a: 1 } }, two: { part: { b: 'x' } } })).toMatchObject(
      orMissing({ status: 'succeeded', result: [1, 'x'] }),
    );
    expect(await answerOf('name_twice', { one: { part: { b: 'x' } }, two: { part: { b: 'x' }, parts: [{ a: 1 }] } })).toMatchObject(
      orMissing({
        error: { kind: 'invalid_parameters', issues: expect.arrayContaining([expect.objectContaining({ path: '/two/parts/0/a' })]) },
      }),
    );
  });

  it('redacts the default of a secret, and does not use the mask as a value', () => {
    if (!isThere) return expect(living.extension('tools/take_texts')?.failure).toMatchObject({ code: 'import_unresolved' });
    expect(must(living.host.tools.get('take_texts')).parameters).toMatchObject({
      properties: { password: { type: 'string', format: 'password', writeOnly: true }, url: { type: 'string', format: 'uri' } },
      required: ['url'],
    });
    expect(JSON.stringify(must(living.host.tools.get('take_texts')).parameters)).not.toContain('***');
  });

  it('names the parameter whose model has no JSON Schema', () => {
    expect(living.extension('tools/hook_up')?.failure).toMatchObject(
      isThere
        ? { code: 'type_unsupported', line: 9, message: expect.stringContaining('`hooks` of `run` has the type `Hooks`') }
        : { code: 'import_unresolved' },
    );
  });
});
