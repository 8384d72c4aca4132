import { jsonInText } from './result/text-look.ts';

/*
 * A JSON value as text that is laid beside another's, line by line. What can go wrong: two values that mean the same and are
 * written differently (members stand in the order of their names; no line ends with a comma that only its successor asks for),
 * a whole document in one line (JSON inside a string is read, text of several lines is written as such, each line behind a
 * bar), and two values that differ and read the same (what was a string says so, and one with numbers that would be rounded
 * stays as it is).
 */
const STEP = '  ';
/** Below this a value is written in one line: nobody reads so far in, and the next reader would run out of stack. */
const DEEPEST = 200;
const ROUNDED = /\d{16}/;

/** `{\n  "days": 2\n}`; a text of several lines that is the whole value stays as it is. */
export function comparableText(value: unknown): string {
  if (typeof value === 'string' && value.includes('\n') && readJson(value) === undefined) return value;
  return written(value, '').join('\n');
}

function written(value: unknown, indent: string): string[] {
  if (typeof value === 'string') return writtenText(value, indent);
  if (typeof value !== 'object' || value === null || indent.length > DEEPEST * STEP.length) return [JSON.stringify(value) ?? 'null'];
  const inner = indent + STEP;
  if (Array.isArray(value)) {
    const items = value.flatMap((item: unknown) => under('', written(item, inner), inner));
    return items.length === 0 ? ['[]'] : ['[', ...items, `${indent}]`];
  }
  const members = Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, member]) => under(`${JSON.stringify(name)}: `, written(member, inner), inner));
  return members.length === 0 ? ['{}'] : ['{', ...members, `${indent}}`];
}

function writtenText(text: string, indent: string): string[] {
  const json = readJson(text);
  if (json !== undefined) {
    const [first = '', ...rest] = written(json, indent);
    return [`JSON in a text: ${first}`, ...rest];
  }
  if (!text.includes('\n')) return [JSON.stringify(text)];
  const lines = text.split('\n');
  return [`text of ${lines.length} lines:`, ...lines.map((line) => `${indent}${STEP}| ${line}`)];
}

/** The first of the lines behind its name; the others are indented already. */
function under(name: string, [first = '', ...rest]: readonly string[], indent: string): string[] {
  return [`${indent}${name}${first}`, ...rest];
}

function readJson(text: string): object | undefined {
  return ROUNDED.test(text) ? undefined : jsonInText(text);
}
