import { parseSync, Visitor } from 'oxc-parser';
import { EXCEPTIONS, type Exception, NOT_CHECKED, TERMS } from './words.ts';

/** A stretch of text that people read, with its offset in the file. */
interface Prose {
  readonly start: number;
  readonly text: string;
}

export interface WordReport {
  /** One line per violation, in the order of the files. */
  readonly violations: readonly string[];
  /** Folders of `notChecked` without any violation. */
  readonly clean: readonly string[];
}

export interface WordRules {
  readonly exceptions: readonly Exception[];
  readonly notChecked: readonly string[];
}

/** `sources`: path from the root, with forward slashes → text. */
export function findWords(
  sources: ReadonlyMap<string, string>,
  { exceptions, notChecked }: WordRules = { exceptions: EXCEPTIONS, notChecked: NOT_CHECKED },
): WordReport {
  const violations: string[] = [];
  const clean = new Set<string>();
  const unclean = new Set<string>();
  for (const [file, source] of [...sources].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const folder = notChecked.find((one) => file.startsWith(`${one}/`));
    if (folder !== undefined && unclean.has(folder)) continue;
    if (folder !== undefined) clean.add(folder);
    // Parsing is slow, and most files contain no term.
    if (!TERMS.some(({ pattern }) => pattern.test(source))) continue;
    const found = violationsIn(file, source, exceptions);
    if (found.length === 0) continue;
    if (folder === undefined) violations.push(...found);
    else unclean.add(folder);
  }
  return { violations, clean: [...clean].filter((folder) => !unclean.has(folder)) };
}

function violationsIn(file: string, source: string, exceptions: readonly Exception[]): readonly string[] {
  const excused = exceptions.filter((one) => one.file.test(file));
  return proseOf(file, source).flatMap(({ start, text }) =>
    TERMS.flatMap(({ pattern, instead }) =>
      [...text.matchAll(new RegExp(pattern, 'gi'))].flatMap(({ index, 0: term }) => {
        const line = source.slice(0, start + index).split('\n').length;
        const sentence = text.slice(Math.max(0, index - 60), index + term.length + 60).replace(/\s+/g, ' ');
        if (excused.some((one) => one.text.test(sentence))) return [];
        return [`${file}:${line} “${term}” in “${sentence.trim()}”. Write: ${instead}.`];
      }),
    ),
  );
}

function proseOf(file: string, source: string): readonly Prose[] {
  if (file.endsWith('.md')) return [{ start: 0, text: withoutQuotes(source) }];
  if (file.endsWith('.py')) {
    const texts = source.matchAll(/"""[^]*?"""|(?<=^|\s)#[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g);
    return [...texts].map(({ index, 0: text }) => ({ start: index, text: withoutCode(text) }));
  }
  const { program, comments } = parseSync(file, source);
  const texts: Prose[] = comments.map(({ start, end }) => ({ start, text: withoutCode(source.slice(start, end)) }));
  const add = ({ start, end }: { start: number; end: number }) => {
    const text = source.slice(start, end);
    if (!isKey(text)) texts.push({ start, text: withoutCode(text) });
  };
  new Visitor({
    Literal(node) {
      if (typeof node.value === 'string') add(node);
    },
    TemplateElement: add,
    JSXText: add,
  }).visit(program);
  return texts.toSorted((a, b) => a.start - b.start);
}

/** One lower-case word is an identifier, a class name or a path. */
function isKey(text: string): boolean {
  return /^['"]?[a-z#./@][^\s]*['"]?$/.test(text) || !/[a-z]/i.test(text);
}

const blank = (text: string): string => text.replace(/[^\n]/g, ' ');

function withoutCode(text: string): string {
  return text.replace(/`[^`\n]*`|https?:\/\/[^\s)]+|[\w./-]+\.(?:tsx?|mjs|js|py|md|json)\b/g, blank);
}

/** Code, quoted output, link targets and names of tests (behind ›) are not prose. */
function withoutQuotes(page: string): string {
  return withoutCode(page.replace(/^```[^]*?^```/gm, blank).replace(/``[^\n]*?``/g, blank))
    .replace(/^>.*$/gm, blank)
    .replace(/\]\([^)]*\)/g, blank)
    .replace(/› (?:(?!<br>)[^|])*/g, blank);
}
