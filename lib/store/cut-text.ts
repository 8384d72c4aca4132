import type { CallError, CallLog } from '#lib/contract/call.ts';

/** The longest beginning of `text` that takes at most `bytes` in UTF-8 and splits no character. */
export function cutText(text: string, bytes: number): { readonly text: string; readonly cut: boolean } {
  if (text.length * 3 <= bytes) return { text, cut: false };
  // A UTF-16 unit takes at least one byte, so the rest cannot be part of the result.
  const head = Buffer.from(text.slice(0, bytes + 1));
  if (text.length <= bytes && head.length <= bytes) return { text, cut: false };
  let end = Math.min(bytes, head.length);
  while (end > 0 && isContinuation(head[end])) end -= 1;
  return { text: head.toString('utf8', 0, end), cut: true };
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** The newest logs that take at most `bytes` as JSON. */
export function cutLogs(logs: readonly CallLog[], bytes: number): { readonly logs: readonly CallLog[]; readonly cut: boolean } {
  let size = 2;
  for (let index = logs.length - 1; index >= 0; index -= 1) {
    size += Buffer.byteLength(JSON.stringify(logs[index])) + 1;
    if (size > bytes) return { logs: logs.slice(index + 1), cut: true };
  }
  return { logs, cut: false };
}

/** An error for a list: above `bytes` as JSON, without its data and with its first issues only. */
export function cutError(error: CallError, bytes: number): { readonly error: CallError; readonly cut: boolean } {
  if (Buffer.byteLength(JSON.stringify(error)) <= bytes) return { error, cut: false };
  const { kind, message, issues } = error;
  const short = { kind, message: cutText(message, bytes).text };
  return { error: issues === undefined ? short : { ...short, issues: issues.slice(0, 10) }, cut: true };
}

const TITLE_CHARACTERS = 200;
/** Characters to look back for the end of a word. */
const WORD_CHARACTERS = 40;

/** The first line of a message; a cut one ends in an ellipsis, after a complete word where possible. */
export function failureTitle(message: string): string {
  const line = (message.split('\n', 1)[0] ?? '').trimEnd();
  if (line.length <= TITLE_CHARACTERS) return line.toWellFormed();
  const head = line.slice(0, TITLE_CHARACTERS - 1);
  const space = head.lastIndexOf(' ');
  return `${(space >= head.length - WORD_CHARACTERS ? head.slice(0, space) : head).toWellFormed()}…`;
}
