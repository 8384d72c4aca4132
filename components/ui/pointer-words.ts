const UNKNOWN = Symbol('a value that is not known');

/**
 * A JSON Pointer as people read it: "/stops/0/name" is "stops › 1 › name". Items are counted from 1, names are as they are.
 * @param value what the pointer leads into; without it whatever is a number counts as the place of an item
 */
export function pointerInWords(pointer: string, value: unknown = UNKNOWN): string {
  let at = value;
  const words: string[] = [];
  for (const escaped of pointer.split('/').slice(1)) {
    const part = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
    const isItem = /^\d+$/.test(part) && (at === UNKNOWN || Array.isArray(at));
    words.push(isItem ? String(Number(part) + 1) : part === '' ? '(empty name)' : part);
    if (at !== UNKNOWN) at = typeof at === 'object' && at !== null && Object.hasOwn(at, part) ? Reflect.get(at, part) : undefined;
  }
  return words.join(' › ');
}
