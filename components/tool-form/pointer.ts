import { pointerInWords as inWords } from '#components/ui/pointer-words.ts';

/** The JSON Pointer (RFC 6901) of a path into the arguments; "" is the arguments as a whole. */
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

/** What stands at a pointer; undefined when nothing does. */
export function valueAt(value: unknown, pointer: string): unknown {
  let at = value;
  for (const part of partsOf(pointer)) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return undefined;
    at = Reflect.get(at, part);
  }
  return at;
}

/** Whether `pointer` is `ancestor` or lies inside of it. */
export function isWithin(pointer: string, ancestor: string): boolean {
  return pointer === ancestor || pointer.startsWith(`${ancestor}/`);
}

/** No name is written so in a pointer: a "~" stands before 0 or 1. */
const NAME = '/~name';

/** The place of a name itself, where a pointer to its entry is the place of its value. */
export function nameOf(pointer: string): string {
  return pointer + NAME;
}

/** A pointer into the arguments as people read it, or the place of a name in them. */
export function pointerInWords(pointer: string, value: unknown): string {
  return pointer.endsWith(NAME) ? `the name of ${inWords(pointer.slice(0, -NAME.length), value)}` : inWords(pointer, value);
}

/** A copy of a value without what stands at a pointer. */
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
