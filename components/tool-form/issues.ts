import { pointerInWords as inWords } from '#components/ui/pointer-words.ts';
import { sameJson } from './json-text.ts';

export const REQUIRED = 'This is required. Fill it in.';

/** RFC 6901; "" is the root. */
export function pointerOf(path: readonly (string | number)[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

export function partsOf(pointer: string): readonly string[] {
  return pointer === ''
    ? []
    : pointer
        .slice(1)
        .split('/')
        .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

export function valueAt(value: unknown, pointer: string): unknown {
  let at = value;
  for (const part of partsOf(pointer)) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return undefined;
    at = Reflect.get(at, part);
  }
  return at;
}

/** Equal or inside. */
export function isWithin(pointer: string, ancestor: string): boolean {
  return pointer === ancestor || pointer.startsWith(`${ancestor}/`);
}

/** Not a valid escape in pointers, so it cannot collide. */
const NAME = '/~name';

/** The pointer of a name itself, as opposed to its value. */
export function nameOf(pointer: string): string {
  return pointer + NAME;
}

export function pointerInWords(pointer: string, value: unknown): string {
  return pointer.endsWith(NAME) ? `the name of ${inWords(pointer.slice(0, -NAME.length), value)}` : inWords(pointer, value);
}

export function withoutPointer(value: unknown, pointer: string): unknown {
  const [first, ...rest] = partsOf(pointer);
  if (first === undefined || typeof value !== 'object' || value === null || !Object.hasOwn(value, first)) return value;
  const below = rest.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value;
    return rest.length === 0
      ? list.filter((_, index) => String(index) !== first)
      : list.map((item, index) => (String(index) === first ? withoutPointer(item, below) : item));
  }
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) =>
      name !== first ? [[name, member]] : rest.length === 0 ? [] : [[name, withoutPointer(member, below)]],
    ),
  );
}

/** A validation error. `path` is a JSON Pointer. */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

export type IssueMap = ReadonlyMap<string, readonly string[]>;

export function byPath(issues: readonly Issue[]): IssueMap {
  const map = new Map<string, string[]>();
  for (const { path, message } of issues) {
    const present = map.get(path);
    if (present === undefined) map.set(path, [message]);
    else if (!present.includes(message)) present.push(message);
  }
  return map;
}

/** Server errors for parts that have not changed since. */
export function unchangedIssues(issues: readonly Issue[], sent: unknown, now: unknown): readonly Issue[] {
  return issues.filter((issue) => sameJson(valueAt(sent, issue.path), valueAt(now, issue.path)));
}

/** Errors inside an open choice have no field: the choice is reported instead. */
export function atChoices(issues: readonly Issue[], unchosen: ReadonlyMap<string, string>): readonly Issue[] {
  return issues.map((issue) => {
    const around = [...unchosen].find(([pointer]) => pointer !== issue.path && isWithin(issue.path, pointer));
    return around === undefined ? issue : { path: around[0], message: around[1] };
  });
}

/** Server messages start with the field name in lower case. */
export function asSentence(message: string): string {
  const text = message.trim();
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
}
