/*
 * Characters without a look of their own: bidirectional controls turn the text that follows, zero-width ones hide in it, control
 * characters do either. Each makes one name pass for another, so every page shows its code point in place of it. Left as they
 * are: line ends and tabs, and what a script or an emoji needs where it stands (the joiners of UTS #51 and IDNA's ContextJ
 * rules, one variation selector after a character that has variants, the flags that are written with tags).
 */
const NEEDED = [
  String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d(?=\p{Extended_Pictographic})`,
  String.raw`(?<=\p{Emoji})[\ufe0e\ufe0f]`,
  String.raw`(?<=\u{1f3f4}(?:\u{e0067}(?:\u{e0062}[\u{e0061}-\u{e007a}]{0,3})?)?)[\u{e0061}-\u{e007a}\u{e007f}]`,
  String.raw`(?<=\p{sc=Han})[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]`,
  String.raw`(?<=\p{sc=Mong})[\u180b-\u180d\u180f]`,
  String.raw`(?<=[\p{scx=Arab}\p{scx=Syrc}\p{scx=Nkoo}\p{scx=Mong}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}])[\u200c\u200d]`,
];
/** Each of them where nothing needs it; editors look for the same. */
export const INVISIBLE = new RegExp(
  String.raw`(?!${NEEDED.join('|')})(?![\t\n\r])[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]`,
  'gu',
);
/** Nearly every text is of these alone, and is not looked at further. */
const PLAIN = /^[\t\n\r\x20-\x7e]*$/;

/** Text for a page, in which every character is seen: `a⟨U+202E⟩b`. */
export function visibleText(text: string): string {
  return PLAIN.test(text) ? text : text.replaceAll(INVISIBLE, (character) => `⟨${codePointOf(character)}⟩`);
}

/** JSON that means the same, in which every character is seen. */
export function escapeUnseen(json: string): string {
  return PLAIN.test(json)
    ? json
    : json.replaceAll(INVISIBLE, (character) => character.replaceAll(/[^]/g, (unit) => `\\u${hex(unit.charCodeAt(0))}`));
}

/** A value as JSON, in which every character is seen. */
export function visibleJson(value: unknown): string {
  return escapeUnseen(JSON.stringify(value) ?? 'null');
}

/** The characters of a text that are not seen, each once: `U+202E`. */
export function invisibleIn(text: string): readonly string[] {
  return PLAIN.test(text) ? [] : [...new Set((text.match(INVISIBLE) ?? []).map(codePointOf))];
}

function codePointOf(character: string): string {
  return `U+${hex(character.codePointAt(0) ?? 0).toUpperCase()}`;
}

function hex(code: number): string {
  return code.toString(16).padStart(4, '0');
}
