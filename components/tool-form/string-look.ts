import { fitsPattern } from '#lib/contract/quick-pattern.ts';
import type { FieldPlan } from './field-plan.ts';
import { numberOf, textOf } from './schema-node.ts';
import type { SchemaNode } from './schema-node.ts';

const LONG = 200;
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  time: '09:30:00Z',
  'date-time': '2026-01-31T09:30:00Z',
  duration: 'P1DT2H',
  email: 'name@example.org',
  uri: 'https://…',
  url: 'https://…',
  'uri-reference': '/path or https://…',
  uuid: '123e4567-e89b-12d3-a456-426614174000',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  hostname: 'example.org',
  regex: '^[a-z]+$',
};

/** Formats that the empty text is checked against, and never has. */
const NEVER_EMPTY: ReadonlySet<string> = new Set(
  'date time date-time iso-time iso-date-time duration email idn-email hostname idn-hostname ipv4 ipv6 uri url iri uuid'.split(' '),
);

/** How a text is typed: in a line, in several, masked, or as a date that can be picked, too. */
export function stringLook(node: SchemaNode): Pick<FieldPlan, 'control' | 'emptyText' | 'placeholder' | 'keyboard'> {
  const format = textOf(node['format']) ?? '';
  const least = numberOf(node['minLength']) ?? 0;
  const look = {
    control: controlOf(node, format),
    emptyText: least === 0 && !NEVER_EMPTY.has(format) && !refusesEmpty(node['pattern']),
    placeholder: PLACEHOLDERS[format] ?? null,
  } as const;
  if (format === 'email' || format === 'idn-email') return { ...look, keyboard: 'email' };
  return { ...look, keyboard: format === 'uri' || format === 'url' || format === 'iri' ? 'url' : 'text' };
}

function controlOf(node: SchemaNode, format: string): FieldPlan['control'] {
  if (format === 'password' || node['writeOnly'] === true) return 'password';
  if (holdsBytes(node, format)) return 'bytes';
  if (format === 'date' || format === 'time' || format === 'date-time') return format;
  if (['textarea', 'multiline', 'markdown', 'html'].includes(format) || node['contentMediaType'] !== undefined) return 'multiline';
  if ((numberOf(node['maxLength']) ?? 0) >= LONG || (numberOf(node['minLength']) ?? 0) >= LONG) return 'multiline';
  return typeof node['default'] === 'string' && node['default'].includes('\n') ? 'multiline' : 'text';
}

/** A text that stands for the bytes of a file, in base64: JSON has no other way to carry them. */
function holdsBytes(node: SchemaNode, format: string): boolean {
  return /^base64/i.test(textOf(node['contentEncoding']) ?? '') || ['byte', 'binary', 'base64', 'base64url'].includes(format);
}

function refusesEmpty(pattern: unknown): boolean {
  return typeof pattern === 'string' && fitsPattern(pattern, '') !== true;
}
