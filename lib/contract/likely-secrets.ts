import { REDACTED } from './secret-names.ts';

/** Distinguishes likely secrets from prose, types and placeholders. */

/** Prefix length used for the decision. */
export const VALUE_MOST = 96;
const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(' '));
/** Placeholders and type names. */
const NO_VALUES = wordSet(
  'null none nil undefined true false yes no n/a empty unset redacted secret hidden masked filtered [secret] [hidden] [masked] [filtered] ' +
    'str string strings number int integer float bool boolean bytes any object array list dict optional unknown never secretstr buffer char text varchar string[]',
);
const NO_VALUE = /^(?:[*•.…x_-]+|\$[A-Z_]+|%[A-Z_]+%|\$?\{.*|<.*)$/i;
/** Words that describe a secret. */
const DESCRIBING = wordSet(
  'required optional missing invalid incorrect wrong expired revoked rejected accepted valid ok okay set changed unchanged reset updated denied forbidden failed failure error ' +
    'weak strong short long given provided present absent needed unknown disabled enabled default token tokens auth authentication authorization scheme password passwords secret secrets ' +
    'key keys credential credentials cookie cookies eof end start identifier punctuation comma value values name type here below above todo tbd',
);
const WORD_MOST = 24;
const NAMED_FORM = /^(?:sha|utf|base|oauth|hs|rs|es|ps|md|aes|http|ipv|rfc|iso|v|x|h|tls|ssl|rsa|ed|bcrypt|argon)-?\d+(?:[-.]\w{1,6})?$/i;

export function isPlaceholder(value: string): boolean {
  return (value.length <= WORD_MOST && NO_VALUES.has(value.toLowerCase())) || value.endsWith(REDACTED) || NO_VALUE.test(value);
}

/** Whether a word after the name of a secret describes it instead of being its value. */
export function isDescribing(value: string): boolean {
  return value.length <= WORD_MOST && DESCRIBING.has(value.toLowerCase());
}

/** Not a word, number, date, version, path or field name. @param least minimum length */
export function looksRandom(candidate: string, least: number): boolean {
  const value = candidate.slice(0, VALUE_MOST);
  const { length } = value;
  if (length < least || NAMED_FORM.test(value) || /^(?:\.{0,2}\/|~\/|[a-z]+:\/\/)/i.test(value)) return false;
  const hasDigit = /\d/.test(value);
  const hasLetter = /[A-Za-z]/.test(value);
  if (!hasLetter) return hasDigit && length >= Math.max(least, least > 4 ? 8 : 4) && !/^\d+[.:/-]\d+(?:[.:/-]\d+)*$/.test(value);
  if (hasDigit)
    return !/^(?:\d+(?:st|nd|rd|th|ms|s|m|h|d|px|[KMG]?i?B)|\d+-[a-z]+|0x[0-9a-f]{1,4}|\d{4}-\d\d-\d\dT?.*|\d+(?:\.\d+)+-?\w*)$/i.test(
      value,
    );
  if (/[A-Za-z][!@#$%^&*+=~?|][^\s]*\w/.test(value) && length >= 6) return true;
  return length >= 20 && /[A-Z]/.test(value) && /[a-z]/.test(value) && !/^[A-Za-z][a-z]+(?:[A-Z-][a-z]+)*$/.test(value);
}
