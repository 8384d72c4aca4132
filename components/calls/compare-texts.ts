import type { Call } from '#lib/contract/call.ts';
import { jsonInText } from './result/text-look.ts';

export function outcomeText(call: Call): string {
  return comparableText(call.error ?? call.result);
}

export function logText(call: Call): string {
  return call.logs
    .map((line) => `${line.level.padEnd(5)} ${line.message}${line.data === null ? '' : ` ${JSON.stringify(line.data)}`}`)
    .join('\n');
}

interface ComparedPart {
  readonly title: string;
  readonly before: string;
  readonly after: string;
  readonly same: string;
  readonly missing: readonly string[];
  readonly isOpen: boolean;
}

const SIDES = ['first', 'second'] as const;

export function comparedParts(before: Call, after: Call): readonly ComparedPart[] {
  const calls = [before, after];
  const running = SIDES.filter((_, at) => calls[at]?.status === 'running').map((side) => `The ${side} call is still running.`);
  const cut = SIDES.filter((_, at) => calls[at]?.logs_truncated === true).map(
    (side) => `Of the ${side} call only the newest lines are kept.`,
  );
  const hasSecrets = calls.some((call) => call.redacted.length > 0);
  return [
    {
      title: 'Arguments',
      before: comparableText(before.arguments),
      after: comparableText(after.arguments),
      same: 'Same arguments',
      missing: hasSecrets ? ['Secrets are not stored and not compared.'] : [],
      isOpen: false,
    },
    {
      title: 'Outcome',
      before: outcomeText(before),
      after: outcomeText(after),
      same: 'Same outcome',
      missing: running.length === 0 ? [] : [...running, 'Compared once both calls have ended'],
      isOpen: running.length > 0,
    },
    {
      title: 'Log',
      before: logText(before),
      after: logText(after),
      same: calls.every((call) => call.logs.length === 0) ? 'No logs' : 'Same logs',
      missing: [...running, ...cut],
      isOpen: false,
    },
  ];
}

/** Only the plain difference: ratios would suggest precision. */
export function differenceInMs(before: number | null, after: number | null): number | null {
  return before === null || after === null ? null : Math.round((after - before) * 1_000) / 1_000;
}

/*
 * Canonical text for a line diff: sorted keys, no trailing commas, JSON in strings expanded, multi-line strings split. Numbers
 * that would be rounded stay strings.
 */
const STEP = '  ';
/** Deeper values are written in one line, which also bounds recursion. */
const DEEPEST = 200;
const ROUNDED = /\d{16}/;

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

function under(name: string, [first = '', ...rest]: readonly string[], indent: string): string[] {
  return [`${indent}${name}${first}`, ...rest];
}

function readJson(text: string): object | undefined {
  return ROUNDED.test(text) ? undefined : jsonInText(text);
}
