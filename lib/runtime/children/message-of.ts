import { inspect } from 'node:util';

/** A field of an untrusted value; undefined if it is missing or unreadable. */
export function readField(thrown: unknown, field: string): unknown {
  if (typeof thrown !== 'object' || thrown === null) return undefined;
  try {
    return Reflect.get(thrown, field);
  } catch {
    return undefined;
  }
}

export function messageOf(thrown: unknown): string {
  if (thrown === null || thrown === undefined)
    return `${String(thrown)} was thrown; throw an Error with a message that says what was wrong`;
  if (typeof thrown === 'string') return thrown === '' ? 'an empty text was thrown; throw an Error with a message' : thrown;
  const message = readField(thrown, 'message');
  if (typeof message === 'string' && message !== '') return message;
  const name = readField(thrown, 'name');
  if (typeof name === 'string' && name !== '') return `${name} (without a message)`;
  try {
    return `a value that is not an error was thrown: ${inspect(thrown, { depth: 3, breakLength: Number.POSITIVE_INFINITY })}`;
  } catch {
    return 'something that cannot be shown was thrown';
  }
}
