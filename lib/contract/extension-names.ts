import { LIMITS } from './limits.ts';

/** Extension and tool names: a letter, then letters, digits, `_`, `-`; 64 characters at most. */
const NAME = /^[A-Za-z][A-Za-z0-9_-]*$/;

export function isValidName(name: string): boolean {
  return name.length <= LIMITS.nameLength && NAME.test(name);
}

export const NAME_RULE = 'a letter, then letters, digits, `_` or `-`, 64 characters at most';
