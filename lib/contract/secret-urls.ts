import { mayNameSecret, REDACTED } from './secret-names.ts';

/**
 * Passwords within addresses, as in `postgres://user:secret@host/db`. What can go wrong: long texts without any (two quick looks tell),
 * addresses beside other words (nothing that ends an address in a text belongs to the password), ports and paths with an `@`
 * (a password ends before the first slash).
 */
const PASSWORD = /\b([a-z][a-z0-9+.-]{0,40}:\/\/)([^\s/?#"'`<>@:\\]*):([^\s/?#"'`<>\\]+)@/gi;

/** Whether a text may hold a secret of either sort anywhere; quick, for long ones. */
export function mayHoldSecret(text: string): boolean {
  return mayNameSecret(text) || mayHoldUrlPassword(text);
}

function mayHoldUrlPassword(text: string): boolean {
  return text.includes('://') && text.includes('@');
}

export function holdsUrlPassword(text: string): boolean {
  return mayHoldUrlPassword(text) && text.search(PASSWORD) >= 0;
}

/** The same text with something else in place of each; all else of an address stays. */
export function hideUrlPasswords(text: string, instead = REDACTED): string {
  if (!mayHoldUrlPassword(text)) return text;
  return text.replace(PASSWORD, (_, scheme: string, user: string) => `${scheme}${user}:${instead}@`);
}

/** As written and as meant; without those that are the name of the user as well, which are no secrets. */
export function urlPasswords(text: string): readonly string[] {
  if (!mayHoldUrlPassword(text)) return [];
  return [...text.matchAll(PASSWORD)].flatMap(([, , user = '', password = '']) =>
    password === user || password === REDACTED ? [] : [...new Set([password, decoded(password)])],
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
