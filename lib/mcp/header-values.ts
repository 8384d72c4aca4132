const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * What a header can carry of a value: printable ASCII as it is, anything else as `=?base64?…?=`. Null when it says to be
 * such and is none.
 */
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
