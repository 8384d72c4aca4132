const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Header encoding of a value: printable ASCII as is, else `=?base64?…?=`. Null for invalid base64. */
export function decodeHeaderValue(given: string): string | null {
  const value = given.replace(/^[\t ]+/, '').replace(/[\t ]+$/, '');
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value)?.[1];
  if (encoded === undefined) return value;
  if (!BASE64.test(encoded)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(encoded, 'base64'));
  } catch {
    return null;
  }
}
