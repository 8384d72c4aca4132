import { LIMITS } from './limits.ts';

/* Names, without schemas: pages load them first. */

/** Extension and tool names: a letter, then letters, digits, `_`, `-`; 64 characters at most. */
const NAME = /^[A-Za-z][A-Za-z0-9_-]*$/;

export function isValidName(name: string): boolean {
  return name.length <= LIMITS.nameLength && NAME.test(name);
}

/** A valid name like an invalid one. */
export function suggestName(name: string): string {
  const cleaned = name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9_-]+/g, '_')
    .replace(/^[^A-Za-z]+/, '')
    .replace(/_+$/, '')
    .slice(0, LIMITS.nameLength);
  return cleaned === '' ? 'my_extension' : cleaned;
}

export const NAME_RULE = 'a letter, then letters, digits, `_` or `-`, 64 characters at most';

/** Names of secrets. */
const SECRET_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
export const SECRET_NAME_RULE = 'a letter or `_`, then letters, digits or `_`, 64 characters at most';

export function isSecretStoreName(name: string): boolean {
  return name.length <= LIMITS.nameLength && SECRET_NAME.test(name);
}

/** The failure of an extension whose secret is not set; the pages offer to add it. */
export function secretMissing(name: string): { readonly message: string; readonly hint: string } {
  return {
    message: `The secret ${name} is not set.`,
    hint: isSecretStoreName(name)
      ? `Add it on the page Secrets, or with PUT /api/v1/secrets/${name}. The extension is then loaded automatically.`
      : `“${name}” cannot be the name of a secret. A name is ${SECRET_NAME_RULE}.`,
  };
}

/** The secret that a failure is about; null for other failures. */
export function missingSecretOf({ code, message }: { readonly code: string; readonly message: string }): string | null {
  const name = code === 'config_missing' ? /^The secret (\w+) is not set\.$/.exec(message)?.[1] : undefined;
  return name !== undefined && isSecretStoreName(name) ? name : null;
}
