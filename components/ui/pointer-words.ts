const UNKNOWN = Symbol('an unknown value');

/**
 * Readable JSON Pointer: "/stops/0/name" is "stops › 1 › name". Items count from 1.
 * @param value the value it refers to; without it every number counts as an index
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
