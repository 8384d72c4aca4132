/** A file name of letters, digits, dots and dashes, whatever the parts are: no folder, no hidden file, no ending of its own. */
export function fileName(parts: readonly string[], ending: string): string {
  const safe = parts
    .map((part) => part.replaceAll(/[^A-Za-z0-9_-]+/g, '-').replaceAll(/^-+|-+$/g, ''))
    .filter((part) => part !== '')
    .join('-');
  return `${safe === '' ? 'result' : safe.slice(0, 100)}.${ending}`;
}

/** Hands text or bytes to the browser as a file. Never opened in place: its type is plain or bytes. */
export function download(name: string, content: string | Uint8Array<ArrayBuffer>): void {
  const type = typeof content === 'string' ? 'text/plain;charset=utf-8' : 'application/octet-stream';
  const address = URL.createObjectURL(new Blob([content], { type }));
  const anchor = document.createElement('a');
  anchor.href = address;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** The bytes of a base64 text; null when it is none. */
export function bytesFromBase64(data: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0));
  } catch {
    return null;
  }
}
