import { types } from 'node:util';

/**
 * Turns any result of a tool into JSON text. One documented rule per kind of value; no value may end the process.
 *
 * What can go wrong: getters, `toJSON` and proxies run untrusted code and may throw; a value may be circular, deeper than the
 * stack, or larger than memory when serialized. So each property is read once, during the walk; the walk counts the minimum of
 * bytes and stops early; ancestors are recorded; depth is limited; paths in messages are truncated, since names are untrusted too.
 */
export type JsonOutcome =
  | { readonly ok: true; readonly text: string; readonly notes: readonly string[] }
  | { readonly ok: false; readonly kind: 'result_not_serializable' | 'result_too_large'; readonly message: string };

const MAX_DEPTH = 500;
/** Below the host's limit (`OPENED_DEPTH`), with a margin for the surrounding object. */
const NOTED_DEPTH = 100;
const PLACE_CHARACTERS = 200;
const MAX_NOTES = 20;
const ERROR_MESSAGE_CHARACTERS = 8_192;

/** By tag: references to the `fetch` classes would load it in every process. */
const HIDING: ReadonlyMap<string, string> = new Map([
  ['Response', 'is a Response. Return its body: `await response.json()` or `await response.text()`.'],
  ['Request', 'is a Request. Return the fields you need, such as its `url`.'],
  ['ReadableStream', 'is a stream. Read it first, for example by `await new Response(stream).text()`.'],
  ['Blob', 'is a Blob. Return its content: `await blob.text()` or `await blob.bytes()`.'],
  ['File', 'is a File. Return its content: `await file.text()` or `await file.bytes()`.'],
  ['FormData', 'is a FormData. Return its entries: `Object.fromEntries(form)`.'],
  ['WeakMap', 'is a WeakMap, whose entries cannot be listed. Return plain data instead.'],
  ['WeakSet', 'is a WeakSet, whose entries cannot be listed. Return plain data instead.'],
  ['WeakRef', 'is a WeakRef. Return its target: `reference.deref()`.'],
]);

class NotJson extends Error {
  readonly kind: 'result_not_serializable' | 'result_too_large';

  constructor(kind: 'result_not_serializable' | 'result_too_large', message: string) {
    super(message);
    this.kind = kind;
  }
}

/** An author's bigint becomes text; one parsed from JSON keeps its digits (`#lib/contract/exact-json.ts`). */
type BigintForm = 'text' | 'digits';

/** For results: excessive depth makes the value invalid. */
export function toJsonText(value: unknown, maxBytes: number, bigints: BigintForm = 'text'): JsonOutcome {
  return toText(value, createWalk(maxBytes, MAX_DEPTH, false, bigints));
}

/** For attached data (log data, error data, statuses), which the host parses: a note replaces parts that are too deep. */
export function toNotedJsonText(value: unknown, maxBytes: number, bigints: BigintForm = 'text'): JsonOutcome {
  return toText(value, createWalk(maxBytes, NOTED_DEPTH, true, bigints));
}

function toText(value: unknown, walk: ReturnType<typeof createWalk>): JsonOutcome {
  try {
    const text = JSON.stringify(walk.convert(value, '', 0));
    if (Buffer.byteLength(text) > walk.maxBytes) throw walk.tooLarge();
    return { ok: true, text, notes: walk.notes };
  } catch (error) {
    if (error instanceof NotJson) return { ok: false, kind: error.kind, message: error.message };
    return {
      ok: false,
      kind: 'result_not_serializable',
      message: 'The result could not be turned into JSON. Return plain objects, lists, strings and numbers.',
    };
  }
}

function createWalk(maxBytes: number, maxDepth: number, isNoted: boolean, bigints: BigintForm) {
  let bytes = 0;
  const ancestors = new Set<object>();
  const notes: string[] = [];

  const tooLarge = () =>
    new NotJson(
      'result_too_large',
      `The result is larger than ${maxBytes} bytes of JSON. Return less, for example a page at a time, or raise MAX_RESULT_BYTES.`,
    );
  const fail = (path: string, what: string) =>
    new NotJson('result_not_serializable', `The result cannot be turned into JSON: ${place(path)} ${what}`);
  const countBytes = (amount: number): void => {
    bytes += amount;
    if (bytes > maxBytes) throw tooLarge();
  };
  const note = (text: string): void => {
    if (notes.length < MAX_NOTES) notes.push(text);
  };
  const text = (value: string): string => {
    countBytes(value.length + 2);
    return value.isWellFormed() ? value : value.toWellFormed();
  };
  /** Runs untrusted code of the value (a getter, toJSON, a proxy's trap). */
  const ask = <Answer>(path: string, what: string, question: () => Answer): Answer => {
    try {
      return question();
    } catch (error) {
      if (error instanceof NotJson) throw error;
      throw fail(path, `has ${what} that throws: ${messageOf(error)}. Return plain data instead.`);
    }
  };

  const convertList = (values: Iterable<unknown>, path: string, depth: number): unknown[] => {
    const list: unknown[] = [];
    for (const value of values) list.push(convert(value, `${path}/${list.length}`, depth + 1));
    return list;
  };

  /** An array or array-like object. */
  const convertItems = (values: object, path: string, depth: number): unknown[] => {
    const length = Number(Reflect.get(values, 'length'));
    const list: unknown[] = [];
    for (let at = 0; at < length; at += 1) {
      const inner = `${path}/${at}`;
      const item: unknown = ask(inner, 'a getter', (): unknown => Reflect.get(values, at));
      list.push(convert(item, inner, depth + 1));
    }
    return list;
  };

  const convertObject = (value: object, path: string, depth: number): unknown => {
    const toJson: unknown = ask(path, 'a `toJSON`', (): unknown => Reflect.get(value, 'toJSON'));
    if (typeof toJson === 'function') {
      const replaced: unknown = ask(path, 'a `toJSON`', (): unknown => Reflect.apply(toJson, value, [lastKey(path)]));
      if (replaced === value) throw fail(path, 'has a `toJSON` that returns itself. Return plain data instead.');
      return convert(replaced, path, depth + 1);
    }
    const keys = ask(path, 'a trap', () => Object.keys(value));
    if (keys.length === 0) {
      // These show their contents in no property, and would become empty objects.
      const tag: unknown = ask(path, 'a tag', (): unknown => Reflect.get(value, Symbol.toStringTag));
      const hidden = typeof tag === 'string' ? HIDING.get(tag) : undefined;
      if (hidden !== undefined) throw fail(path, hidden);
      if (tag === 'URLSearchParams' && value instanceof URLSearchParams) return text(value.toString());
      if (tag === 'Headers' && value instanceof Headers) return convertMap(new Map(value), path, depth);
    }
    // Only iteration yields its values; its own properties are not its content.
    const isIterator = ask(
      path,
      'a trap',
      () => isIterable(value) && (keys.length === 0 || typeof Reflect.get(value, 'next') === 'function'),
    );
    if (isIterator) throw fail(path, ITERATOR);
    const copy: Record<string, unknown> = {};
    for (const key of keys) {
      const inner = `${path}/${escapePointer(key)}`;
      setOwn(
        copy,
        text(key),
        convert(
          ask(inner, 'a getter', (): unknown => Reflect.get(value, key)),
          inner,
          depth + 1,
        ),
      );
    }
    return copy;
  };

  const convertKnown = (value: object, path: string, depth: number): unknown => {
    if (ask(path, 'a trap', () => Array.isArray(value))) return convertItems(value, path, depth);
    if (types.isDate(value)) {
      const time = Date.prototype.getTime.call(value);
      if (!Number.isNaN(time)) return text(new Date(time).toISOString());
      note(`${place(path)} was an invalid date and became null`);
      return null;
    }
    if (types.isMap(value)) return convertMap(value, path, depth);
    if (types.isSet(value)) return convertList(Set.prototype.values.call(value), path, depth);
    if (types.isNativeError(value)) {
      const name = ask(path, 'a name', () => String(Reflect.get(value, 'name')));
      const message = ask(path, 'a message', () => String(Reflect.get(value, 'message')));
      return { name: text(name), message: text(message.slice(0, ERROR_MESSAGE_CHARACTERS)) };
    }
    if (types.isAnyArrayBuffer(value)) return base64(new Uint8Array(value));
    if (types.isArrayBufferView(value)) {
      if (types.isUint8Array(value) || types.isUint8ClampedArray(value) || types.isDataView(value)) {
        return base64(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
      }
      return convertItems(value, path, depth);
    }
    if (types.isBoxedPrimitive(value)) return convert(value.valueOf(), path, depth + 1);
    if (types.isRegExp(value)) return text(String(value));
    if (types.isPromise(value)) throw fail(path, 'is a promise. Put `await` before it.');
    return convertObject(value, path, depth);
  };

  const convertMap = (map: ReadonlyMap<unknown, unknown>, path: string, depth: number): unknown => {
    const pairs = [...Map.prototype.entries.call(map)] as [unknown, unknown][];
    if (!pairs.every(([key]) => typeof key === 'string')) return convertList(pairs, path, depth);
    const copy: Record<string, unknown> = {};
    for (const [key, value] of pairs) setOwn(copy, text(String(key)), convert(value, `${path}/${escapePointer(String(key))}`, depth + 1));
    return copy;
  };

  const base64 = (view: Uint8Array): unknown => {
    countBytes(Math.ceil(view.byteLength / 3) * 4 + 13);
    return { base64: Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString('base64') };
  };

  const convert = (value: unknown, path: string, depth: number): unknown => {
    switch (typeof value) {
      case 'string':
        return text(value);
      case 'number':
        countBytes(1);
        if (Number.isFinite(value)) return value;
        note(`${place(path)} was ${value} and became null`);
        return null;
      case 'boolean':
        countBytes(4);
        return value;
      case 'undefined':
        countBytes(4);
        return null;
      case 'bigint':
        if (bigints === 'text') return text(value.toString());
        countBytes(value.toString().length);
        return value;
      case 'function':
        throw fail(path, 'is a function. Return data, not code.');
      case 'symbol':
        throw fail(path, 'is a symbol. Return its description as a string.');
      case 'object':
        break;
    }
    if (value === null) {
      countBytes(4);
      return null;
    }
    countBytes(2);
    if (depth > maxDepth) {
      if (isNoted) return text(`(left out: nested more than ${maxDepth} levels deep)`);
      throw fail(path, `is nested more than ${maxDepth} levels deep. Return something flatter.`);
    }
    if (ancestors.has(value)) throw fail(path, 'contains itself. Return each thing once, or an id in its place.');
    ancestors.add(value);
    const converted = ask(path, 'something', () => convertKnown(value, path, depth));
    ancestors.delete(value);
    return converted;
  };

  return { convert, notes, maxBytes, tooLarge };
}

/** A plain assignment to `__proto__` would set the prototype, where Node has that accessor. */
function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else target[key] = value;
}

const ITERATOR = 'is an iterator, which yields its values one by one. Make a list of it: `[...values]` or `await Array.fromAsync(values)`.';

function isIterable(value: object): boolean {
  return Symbol.iterator in value || Symbol.asyncIterator in value;
}

function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function lastKey(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function place(path: string): string {
  if (path === '') return 'the result itself';
  return `the value at ${path.length > PLACE_CHARACTERS ? `${path.slice(0, PLACE_CHARACTERS)}…` : path}`;
}

function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error).slice(0, 500);
  } catch {
    return 'something without a text';
  }
}
