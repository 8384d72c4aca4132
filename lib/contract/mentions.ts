/**
 * Mentions: a member name after `@`. Names may contain spaces, so the member list is needed; the longest match wins. Code is
 * skipped.
 */

export interface Named {
  readonly name: string;
}

export interface MentionPart {
  /** Start offset. */
  readonly at: number;
  readonly text: string;
  readonly isMention: boolean;
}

/** In order of first mention. */
export function findMentions<Person extends Named>(markdown: string, people: readonly Person[]): Person[] {
  const pattern = patternOf(people.map(({ name }) => name));
  if (pattern === null) return [];
  const byKey = new Map(people.map((person) => [keyOf(person.name), person]));
  const found = new Set<Person>();
  for (const [, name = ''] of withoutCode(markdown).matchAll(pattern)) {
    const person = byKey.get(keyOf(name));
    if (person !== undefined) found.add(person);
  }
  return [...found];
}

/** The text in parts; mentions start with `@`. */
export function splitMentions(text: string, names: readonly string[]): MentionPart[] {
  const pattern = patternOf(names);
  if (pattern === null) return [{ at: 0, text, isMention: false }];
  const pieces: MentionPart[] = [];
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > at) pieces.push({ at, text: text.slice(at, match.index), isMention: false });
    pieces.push({ at: match.index, text: match[0], isMention: true });
    at = match.index + match[0].length;
  }
  if (at < text.length) pieces.push({ at, text: text.slice(at), isMention: false });
  return pieces;
}

/** Not inside a word or an address. */
function patternOf(names: readonly string[]): RegExp | null {
  const longestFirst = [...new Set(names)].filter((name) => name !== '').toSorted((a, b) => b.length - a.length);
  if (longestFirst.length === 0) return null;
  const alternatives = longestFirst.map((name) =>
    name.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`).replaceAll(/\s+/g, String.raw`\s+`),
  );
  return new RegExp(String.raw`(?<![\p{L}\p{N}_@./-])@(${alternatives.join('|')})(?![\p{L}\p{N}_])`, 'giu');
}

function keyOf(name: string): string {
  return name.toLowerCase().replaceAll(/\s+/g, ' ');
}

function withoutCode(markdown: string): string {
  return markdown
    .replaceAll(/^ {0,3}(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^ {0,3}\1[^\n]*$|(?![\s\S]))/gm, ' ')
    .replaceAll(/(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, ' ');
}
