import { type Icon, iconSchema } from '#lib/contract/mcp-content.ts';

/** Fields in the lists of an MCP server, and warnings about invalid ones. */
export type Warn = (text: string) => void;

/** One entry must not fill the description of all. */
export const TITLE_CHARACTERS = 1_000;
export const DESCRIPTION_CHARACTERS = 65_536;
export const FURTHER_BYTES = 65_536;
/** Depth of the description; the host parses little more. */
const DEPTH = 64;

export function readText(value: unknown, field: string, most: number, warn: Warn): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') {
    warn(`Its ${field} is ${kindOf(value)}, not a text; it was left out.`);
    return '';
  }
  if (value.length <= most) return value.toWellFormed();
  warn(`Its ${field} has ${value.length.toLocaleString('en')} characters; it is truncated after ${most.toLocaleString('en')}.`);
  return `${value.slice(0, most).toWellFormed()}…`;
}

const ICONS_MOST = 8;
const ICONS_BYTES = 16_384;

/** Invalid icons, and those beyond the limits, are left out. */
export function readIcons(value: unknown, warn: Warn): readonly Icon[] {
  const listed: readonly unknown[] = Array.isArray(value) ? value : [];
  let bytes = 0;
  const icons = listed.slice(0, ICONS_MOST).flatMap((entry) => {
    const { data } = iconSchema.safeParse(entry);
    bytes += data === undefined ? 0 : Buffer.byteLength(JSON.stringify(data));
    return data === undefined || bytes > ICONS_BYTES ? [] : [data];
  });
  const left = value === undefined || value === null ? 0 : Math.max(1, listed.length) - icons.length;
  if (left > 0) warn(`Some of its \`icons\` are invalid or too large; they were left out.`);
  return icons;
}

/** Why a value is too large; null if it is not. */
export function excessOf(value: Readonly<Record<string, unknown>>, bytes: number): string | null {
  if (isDeeper(value, DEPTH)) return `is nested more than ${DEPTH} levels deep`;
  return Buffer.byteLength(JSON.stringify(value)) > bytes ? `is larger than ${bytes / 1_024} KiB` : null;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return value === null ? 'null' : 'absent';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? `the text ${shown(value)}` : shown(value);
}

export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

/** A list of an MCP server in pages. What can go wrong: a page is missing, points back, or the list never ends. */
export interface ListKind<Entry> {
  /** Of each page. */
  readonly field: string;
  /** For warnings. */
  readonly words: string;
  readonly most: number;
  /** @param before number of entries on earlier pages */
  read(listed: unknown, before: number): ReadEntries<Entry>;
}

interface ReadEntries<Entry> {
  readonly entries: readonly Entry[];
  readonly warnings: readonly string[];
}

/** Resolves to one page; rejects if there is none. */
export type AskPage = (cursor: string | undefined) => Promise<Readonly<Record<string, unknown>>>;

/** More than any server needs; stops an endless list. */
const MOST_PAGES = 1_000;

/** @param explain turns an error of `ask` into text */
export async function readList<Entry>(
  ask: AskPage,
  explain: (error: unknown) => string,
  { field, words, most, read }: ListKind<Entry>,
): Promise<ReadEntries<Entry>> {
  const entries: Entry[] = [];
  const warnings: string[] = [];
  const seen = new Set<string>();
  let listed = 0;
  let cursor: string | undefined;
  for (let page = 1; ; page += 1) {
    let answer: Readonly<Record<string, unknown>>;
    try {
      answer = await ask(cursor);
    } catch (error) {
      if (page === 1) throw error;
      warnings.push(`Page ${page} of its list of ${words} could not be read, so the rest is missing. ${explain(error)}`);
      break;
    }
    const one = read(answer[field], listed);
    listed += Array.isArray(answer[field]) ? answer[field].length : 0;
    entries.push(...one.entries);
    warnings.push(...one.warnings);
    const next = answer['nextCursor'];
    if (next === undefined || next === null || next === '') break;
    if (typeof next !== 'string') {
      warnings.push(`The \`nextCursor\` of page ${page} of its list of ${words} is ${kindOf(next)}, not a text; the rest is missing.`);
      break;
    }
    if (seen.has(next)) {
      warnings.push(`Page ${page} of its list of ${words} points back to an earlier one; the list ends there.`);
      break;
    }
    if (page === MOST_PAGES || entries.length >= most) {
      warnings.push(`Its list of ${words} continues after ${entries.length} ${words} in ${page} pages; the rest was not read.`);
      break;
    }
    seen.add(next);
    cursor = next;
  }
  return { entries, warnings };
}
