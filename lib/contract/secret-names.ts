/** Replacement of secrets. */
export const REDACTED = '[redacted]';

/** Name suffixes of secrets, singular; a space also matches `_`, `-` or a capital letter. */
const ENDINGS = [
  'pass word',
  'pass wd',
  'pwd',
  'pass phrase',
  'pass code',
  'password confirmation',
  'token',
  'secret',
  'api key',
  'secret key',
  'access key',
  'account key',
  'shared key',
  'private key',
  'signing key',
  'encryption key',
  'master key',
  'authorization',
  'credential',
  'cookie',
  'connection string',
] as const;

/** Secret only as separate words. */
const WORDS = ['bearer', 'dsn'] as const;

/** Page tokens and special tokens, by the preceding word. */
const PLACES =
  'page paging pagination continuation continue next nextpage previous prev cursor sync resume scroll start starting skip delta position';
const SIGNS = 'eos bos pad unk stop';
const NO_SECRETS = new Set(`${PLACES} ${SIGNS}`.split(' '));

/** Words before `tokens` that mean model tokens. */
const COUNTED = new Set(
  'max min num total prompt completion input output reasoning thinking cache cached context audio image text budget'.split(' '),
);

const SQUEEZED = ENDINGS.map((ending) => ending.replaceAll(' ', ''));
const ANYWHERE = new RegExp([...ENDINGS, ...WORDS].map((name) => name.replaceAll(' ', '[^a-z0-9]{0,2}')).join('|'), 'i');

/** Whether a name marks a secret: `api_key`, `userPassword`, `tokens`. */
export function isSecretName(key: string): boolean {
  const plain = key.toLowerCase().replace(/[^a-z0-9]|[^a-z]+$/g, '');
  const one = plain.endsWith('s') ? plain.slice(0, -1) : plain;
  if (SQUEEZED.some((ending) => one.endsWith(ending))) return !(one.endsWith('token') && isNoSecretToken(key, one, plain !== one));
  return WORDS.some((word) => one.endsWith(word) && wordsOf(key).some((last) => last.replace(/s$/, '') === word));
}

function wordsOf(key: string): readonly string[] {
  return key.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/).map((word) => word.toLowerCase());
}

function isNoSecretToken(key: string, one: string, areMany: boolean): boolean {
  if (NO_SECRETS.has(one.slice(0, -'token'.length))) return true;
  const words = wordsOf(key);
  const before = words.slice(
    0,
    words.findLastIndex((word) => word.startsWith('token')),
  );
  return NO_SECRETS.has(before.at(-1) ?? '') || (areMany && before.some((word) => COUNTED.has(word)));
}

/** The same with the value: booleans and null are settings, numbers are counts. */
export function isSecretMember(key: string, value: unknown): boolean {
  if (value === null || value === undefined || typeof value === 'boolean') return false;
  if (typeof value === 'number' && /s[^a-z]*$/i.test(key)) return false;
  return isSecretName(key);
}

/** Fast pre-check whether a text may contain the name of a secret. */
export function mayNameSecret(text: string): boolean {
  return ANYWHERE.test(text);
}
