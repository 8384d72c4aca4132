export interface CutText {
  readonly text: string;
  /** Number of omitted characters. */
  readonly cut: number;
  /** It contained NUL or bytes that are not UTF-8. */
  readonly binary: boolean;
}

/**
 * Collects a stream of bytes as text, with a limited length: the beginning and the end, because errors are at the end. It uses at
 * most about three times the limit of memory.
 */
export function createBoundedText(maxChars: number) {
  const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true });
  let head = '';
  let tail = '';
  let total = 0;
  let binary = false;

  function add(text: string): void {
    if (!binary) binary = /[\0\uFFFD]/.test(text);
    total += text.length;
    if (head.length < maxChars) head += text.slice(0, maxChars - head.length);
    tail += text;
    // Truncated at intervals instead of at every chunk; the copy lets the engine free the truncated text.
    if (tail.length > 2 * maxChars) tail = Buffer.from(tail.slice(-maxChars), 'utf16le').toString('utf16le');
  }

  return {
    write(bytes: Uint8Array): void {
      add(decoder.decode(bytes, { stream: true }));
    },
    end(): CutText {
      add(decoder.decode());
      if (total <= maxChars) return { text: head, cut: 0, binary };
      const mark = `\n… ${total} characters, the middle is cut …\n`;
      const room = maxChars - mark.length;
      // Too short for two halves and a note: keep the beginning.
      const first = withoutHalfCharacter(head.slice(0, room < mark.length ? maxChars : Math.ceil(room / 2)));
      const last = room < mark.length ? '' : withoutHalfCharacter(tail.slice(-Math.floor(room / 2)));
      return { text: last === '' ? first : `${first}${mark}${last}`, cut: total - first.length - last.length, binary };
    },
  };
}

/** A cut may split a surrogate pair; its half is dropped. */
function withoutHalfCharacter(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
}
