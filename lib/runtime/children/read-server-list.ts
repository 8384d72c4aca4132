import { kindOf } from './server-fields.ts';

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

export interface ReadEntries<Entry> {
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
