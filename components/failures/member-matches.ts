/** Whom people mean while they type. */

export interface Choice {
  readonly id: string;
  readonly name: string;
  readonly initials: string;
  readonly active: boolean;
}

const SHOWN = 8;
const NAME_LENGTH = 60;

/** Members who can sign in, whose name or a word of it begins so; those whose name begins so first. */
export function matchMembers<Member extends Choice>(members: readonly Member[], typed: string): Member[] {
  const wanted = keyOf(typed);
  const found = members.filter(({ active, name }) => active && ` ${keyOf(name)}`.includes(` ${wanted}`));
  const isFirst = ({ name }: Member): boolean => keyOf(name).startsWith(wanted);
  return [...found.filter(isFirst), ...found.filter((member) => !isFirst(member))].slice(0, SHOWN);
}

export interface MentionPlace {
  /** Where the `@` stands. */
  readonly from: number;
  readonly typed: string;
}

/** What stands between an `@` that begins a word and the caret; null when there is none that a name could follow. */
export function mentionAt(text: string, caret: number): MentionPlace | null {
  const from = text.lastIndexOf('@', caret - 1);
  if (from === -1 || caret === 0) return null;
  const typed = text.slice(from + 1, caret);
  if (typed.length > NAME_LENGTH || typed.includes('\n') || /^\s/.test(typed)) return null;
  const before = text.slice(0, from);
  return /[\p{L}\p{N}_@./-]$/u.test(before) ? null : { from, typed };
}

/** The text with the name in the place of what was typed, and where the caret goes. */
export function completeMention(
  text: string,
  { from, typed }: MentionPlace,
  name: string,
): { readonly text: string; readonly caret: number } {
  const rest = text.slice(from + 1 + typed.length);
  const space = /^\s/.test(rest) ? '' : ' ';
  return { text: `${text.slice(0, from)}@${name}${space}${rest}`, caret: from + 1 + name.length + 1 };
}

function keyOf(text: string): string {
  return text.toLowerCase().replaceAll(/\s+/g, ' ').trimStart();
}
