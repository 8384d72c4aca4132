/*
 * Invisible characters: bidirectional controls reorder text, and zero-width and control characters hide in it, so one name can
 * imitate another. Pages show their code points instead. Unchanged: line ends, tabs, and characters that a script or emoji needs
 * (joiners of UTS #51 and the ContextJ rules of IDNA, one variation selector after a character with variants, tag flags).
 */
const NEEDED = [
  String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d(?=\p{Extended_Pictographic})`,
  String.raw`(?<=\p{Emoji})[\ufe0e\ufe0f]`,
  String.raw`(?<=\u{1f3f4}(?:\u{e0067}(?:\u{e0062}[\u{e0061}-\u{e007a}]{0,3})?)?)[\u{e0061}-\u{e007a}\u{e007f}]`,
  String.raw`(?<=\p{sc=Han})[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]`,
  String.raw`(?<=\p{sc=Mong})[\u180b-\u180d\u180f]`,
  String.raw`(?<=[\p{scx=Arab}\p{scx=Syrc}\p{scx=Nkoo}\p{scx=Mong}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}])[\u200c\u200d]`,
];
/** Characters that are not needed in place; editors mark the same. */
export const INVISIBLE = new RegExp(
  String.raw`(?!${NEEDED.join('|')})(?![\t\n\r])[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]`,
  'gu',
);
/** Fast path: nearly every text matches. */
const PLAIN = /^[\t\n\r\x20-\x7e]*$/;

/** Text with invisible characters shown as code points: `a⟨U+202E⟩b`. */
export function visibleText(text: string): string {
  return PLAIN.test(text) ? text : text.replaceAll(INVISIBLE, (character) => `⟨${codePointOf(character)}⟩`);
}

/** Equivalent JSON with invisible characters escaped. */
export function escapeInvisible(json: string): string {
  return PLAIN.test(json)
    ? json
    : json.replaceAll(INVISIBLE, (character) => character.replaceAll(/[^]/g, (unit) => `\\u${hex(unit.charCodeAt(0))}`));
}

/** JSON of a value with invisible characters escaped. */
export function visibleJson(value: unknown): string {
  return escapeInvisible(JSON.stringify(value) ?? 'null');
}

/** Distinct invisible characters of a text: `U+202E`. */
export function invisibleIn(text: string): readonly string[] {
  return PLAIN.test(text) ? [] : [...new Set((text.match(INVISIBLE) ?? []).map(codePointOf))];
}

function codePointOf(character: string): string {
  return `U+${hex(character.codePointAt(0) ?? 0).toUpperCase()}`;
}

function hex(code: number): string {
  return code.toString(16).padStart(4, '0');
}
