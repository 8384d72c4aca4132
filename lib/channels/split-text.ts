const MOST = 4_096;

/** A text in parts that Telegram takes, cut behind a line or a word where there is one in the last half, never inside a character. */
export function splitText(text: string, most: number = MOST): string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > most) {
    const head = rest.slice(0, most + 1);
    const line = head.lastIndexOf('\n');
    const word = head.lastIndexOf(' ');
    const at = line > most / 2 ? line : word > most / 2 ? word : -1;
    const isPair = at === -1 && /[\uD800-\uDBFF]/.test(rest.charAt(most - 1));
    const end = at === -1 ? most - (isPair ? 1 : 0) : at;
    parts.push(rest.slice(0, end));
    rest = rest.slice(at === -1 ? end : end + 1);
  }
  if (rest !== '' || parts.length === 0) parts.push(rest);
  return parts.filter((part) => part.trim() !== '' || parts.length === 1);
}
