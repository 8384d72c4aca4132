import { useMemo } from 'react';

/*
 * Terminal colors (SGR) as text runs with class names. What can go wrong:
 * - a sequence does more than color (links, titles, cursor moves): dropped with its content;
 * - a sequence has no end: dropped up to the end of its line;
 * - colors are illegible on this background: the nearest theme color is used.
 */
interface AnsiRun {
  readonly at: number;
  readonly text: string;
  readonly className: string;
}

/* OSC and other strings, then CSI, then two-character escapes. */
const SEQUENCE =
  // oxlint-disable-next-line no-control-regex -- escape sequences start with a control character
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)?|(?:\u001b\[|\u009b)([0-?]*)[ -/]*([@-~])?|\u001b[ -/]*[0-~]?/g;

const FRONT = [
  'text-muted',
  'text-failed',
  'text-ok',
  'text-degraded',
  'token-function',
  'token-keyword',
  'text-running',
  'text-fg',
] as const;
const BACK = [
  'bg-hover',
  'bg-failed-soft',
  'bg-ok-soft',
  'bg-degraded-soft',
  'bg-running-soft',
  'bg-accent-soft',
  'bg-running-soft',
  'bg-hover',
] as const;
/** Foregrounds as backgrounds, for inverse text. */
const SOLID = [
  'bg-muted',
  'bg-failed',
  'bg-ok',
  'bg-degraded',
  'bg-(--token-function)',
  'bg-(--token-keyword)',
  'bg-running',
  'bg-fg',
] as const;
const CUBE = [0, 95, 135, 175, 215, 255];
const INVERSE = 7;
const EFFECTS = new Map([
  [1, 'font-semibold'],
  [2, 'text-muted'],
  [3, 'italic'],
  [4, 'underline'],
  [INVERSE, ''],
  [9, 'line-through'],
]);
const ENDS: Readonly<Record<number, readonly number[]>> = { 21: [1], 22: [1, 2], 23: [3], 24: [4], 27: [INVERSE], 29: [9] };

interface Style {
  front: number | null;
  back: number | null;
  readonly effects: Set<number>;
}

export function parseAnsi(text: string): AnsiRun[] {
  const runs: AnsiRun[] = [];
  const style: Style = { front: null, back: null, effects: new Set() };
  let at = 0;
  const add = (end: number) => {
    const plain = text.slice(at, end).replaceAll(/\r\n?/g, '\n');
    if (plain !== '') runs.push({ at, text: plain, className: classOf(style) });
  };
  for (const match of text.matchAll(SEQUENCE)) {
    add(match.index);
    at = match.index + match[0].length;
    if (match[2] === 'm') apply(style, match[1] ?? '');
  }
  add(text.length);
  return runs;
}

export function withoutAnsi(text: string): string {
  return parseAnsi(text)
    .map((run) => run.text)
    .join('');
}

function apply(style: Style, parameters: string): void {
  const groups = parameters.split(';').map((group) => group.split(':').map(Number));
  for (let at = 0; at < groups.length; at += 1) {
    const [code = 0, ...parts] = groups[at] ?? [];
    if (code === 0) {
      style.front = style.back = null;
      style.effects.clear();
    } else if (code === 38 || code === 48 || code === 58) {
      const [colour, read] = readColour(parts.length > 0 ? withoutSpace(parts) : groups.slice(at + 1).map(([first = 0]) => first));
      // 58 is the underline color, which follows the text color here.
      if (code === 38) style.front = colour;
      else if (code === 48) style.back = colour;
      if (parts.length === 0) at += read;
      // Underline style; 0 is none.
    } else if (code === 4 && parts[0] === 0) style.effects.delete(4);
    else if (EFFECTS.has(code)) style.effects.add(code);
    else if (ENDS[code] !== undefined) for (const ended of ENDS[code]) style.effects.delete(ended);
    else if (code === 39) style.front = null;
    else if (code === 49) style.back = null;
    else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) style.front = code % 10;
    else if ((code >= 40 && code <= 47) || (code >= 100 && code <= 107)) style.back = code % 10;
  }
}

/** `2:space:red:green:blue` may include a color space id. */
function withoutSpace(parts: readonly number[]): readonly number[] {
  return parts[0] === 2 && parts.length > 4 ? [2, ...parts.slice(2)] : parts;
}

/** The nearest of eight colors, and how many parameters it used. */
function readColour([kind, first = 0, green = 0, blue = 0]: readonly number[]): readonly [number | null, number] {
  if (kind === 2) return [nearest(first, green, blue), 4];
  if (kind !== 5) return [null, 1];
  if (first < 16) return [first % 8, 2];
  if (first >= 232) return [first < 244 ? 0 : 7, 2];
  const cube = first - 16;
  const level = (step: number) => CUBE[step % 6] ?? 0;
  return [nearest(level(Math.floor(cube / 36)), level(Math.floor(cube / 6)), level(cube)), 2];
}

function nearest(red: number, green: number, blue: number): number {
  const max = Math.max(red, green, blue);
  if (max - Math.min(red, green, blue) < 24) return max < 128 ? 0 : 7;
  return (red > max * 0.6 ? 1 : 0) + (green > max * 0.6 ? 2 : 0) + (blue > max * 0.6 ? 4 : 0);
}

/** Text on a colored background keeps the page color, which is legible on all of them. */
function classOf({ front, back, effects }: Style): string {
  const colour = effects.has(INVERSE)
    ? `${SOLID[front ?? 7] ?? ''} text-panel`
    : back !== null
      ? `${BACK[back] ?? ''} text-fg`
      : front !== null
        ? (FRONT[front] ?? '')
        : '';
  const others = [...effects].filter((effect) => effect !== 2 || colour === '').map((effect) => EFFECTS.get(effect) ?? '');
  const names = [colour, ...others].filter((name) => name !== '');
  if (!effects.has(4) || !effects.has(9)) return names.join(' ');
  // Both line styles are one CSS property.
  return [...names.filter((name) => name !== 'underline' && name !== 'line-through'), '[text-decoration-line:underline_line-through]'].join(
    ' ',
  );
}

export function AnsiText({ text }: { text: string }) {
  const runs = useMemo(() => parseAnsi(text), [text]);
  return (
    <>
      {runs.map((run) =>
        run.className === '' ? (
          run.text
        ) : (
          <span key={run.at} className={run.className}>
            {run.text}
          </span>
        ),
      )}
    </>
  );
}
