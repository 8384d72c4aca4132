export interface CutText {
  readonly text: string;
  /** Characters that were left out. */
  readonly cut: number;
  /** It held bytes that are no UTF-8, or NUL. */
  readonly binary: boolean;
}

/**
 * Collects a stream of bytes as text and never holds more than about three times what it may answer: the beginning, and
 * as much of the newest. A longer text keeps its beginning and its end, for errors stand at the end.
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
    // Cut now and then instead of at every piece; the copy makes the engine let go of what was cut.
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
      // Too short for two halves and a mark: keep the beginning.
      const first = whole(head.slice(0, room < mark.length ? maxChars : Math.ceil(room / 2)));
      const last = room < mark.length ? '' : whole(tail.slice(-Math.floor(room / 2)));
      return { text: last === '' ? first : `${first}${mark}${last}`, cut: total - first.length - last.length, binary };
    },
  };
}

/** A cut may fall between the two halves of a character; such a half is dropped. */
function whole(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
}
