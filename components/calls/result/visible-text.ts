import { inThousands } from '#components/ui/in-thousands.ts';

/** Signs that turn the direction of what follows: with them a text can look like another one. */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
/** The same, and what a terminal or a screen takes for more than text; JSON has an escape for each. */
const UNSEEN = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** A value as JSON, in which nothing is invisible. */
export function visibleJson(value: unknown): string {
  return escapeUnseen(JSON.stringify(value) ?? 'null');
}

/** JSON text that means the same, in which nothing is invisible. */
export function escapeUnseen(json: string): string {
  return json.replaceAll(UNSEEN, (sign) => `\\u${hex(sign)}`);
}

/** Foreign text with its signs of direction written out. */
export function visibleText(text: string): string {
  return text.replaceAll(DIRECTION, (sign) => `⟨U+${hex(sign).toUpperCase()}⟩`);
}

function hex(sign: string): string {
  return (sign.codePointAt(0) ?? 0).toString(16).padStart(4, '0');
}

const UNITS = ['bytes', 'kB', 'MB'] as const;

/** "812 bytes", "1.4 kB", "10 MB". */
export function sizeInWords(bytes: number): string {
  const power = bytes < 1_000 ? 0 : bytes < 1_000_000 ? 1 : 2;
  const count = bytes / 1_000 ** power;
  const shown = power === 0 || count >= 100 ? inThousands(Math.round(count)) : String(Number(count.toFixed(1)));
  return `${shown} ${bytes === 1 ? 'byte' : UNITS[power]}`;
}

/** Length of a text in UTF-8. */
export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

const known = new WeakMap<object, number>();

/** Length of a value as JSON, in UTF-8; of a text its own. Written once for each value: a large one is looked at in many ways. */
export function bytesOfValue(value: unknown): number {
  if (typeof value === 'string') return bytesOf(value);
  if (typeof value !== 'object' || value === null) return bytesOf(JSON.stringify(value) ?? 'null');
  const size = known.get(value) ?? bytesOf(JSON.stringify(value));
  known.set(value, size);
  return size;
}
