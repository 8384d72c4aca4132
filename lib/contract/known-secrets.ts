export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The values that the host knows to be secrets, found wherever they occur: as they are, and as they stand in JSON, in a URL, in a form
 * and in base64. All are looked for at once, by the last letters of the shortest one (Wu and Manber), so that a text costs the same for
 * one as for hundreds. What can go wrong: values that stand in any text by chance (short ones are not looked for), very many of them
 * (the oldest are forgotten), a value that changes (the old one stays a secret), values of kilobytes (they are told by their
 * beginning, and hidden as far as they go), a text that is cut in the middle of one.
 */
export interface KnownSecrets {
  /** From now on these are hidden. */
  learn(values: Iterable<string>): void;
  /** In any order; they may overlap. */
  rangesIn(text: string): readonly TextRange[];
  /** Whether the text is nothing but one of them. */
  isOne(text: string): boolean;
}

/** Shorter ones stand in many a text by chance. */
export const SHORTEST_KNOWN = 6;
const MOST_VALUES = 500;
/** What a value is told by. */
const TOLD_BY = 64;
/** A line of a value of several is printed on its own. */
const LINE_LEAST = 16;
const BLOCK = 3;
const TABLE = 4_096;

export function createKnownSecrets(values: Iterable<string> = []): KnownSecrets {
  const known = new Set<string>();
  /** All that is looked for, by the hash of the block that ends its first `least` characters. */
  let byBlock = new Map<number, string[]>();
  let shifts = new Uint8Array(TABLE);
  let least = 0;

  function prepare(): void {
    const spelled = [...new Set([...known].flatMap(spellings))];
    least = Math.min(TOLD_BY, ...spelled.map(({ length }) => length));
    byBlock = new Map();
    shifts = new Uint8Array(TABLE).fill(least - BLOCK + 1);
    for (const text of spelled) {
      for (let end = BLOCK; end <= least; end += 1) {
        const hash = hashAt(text, end - BLOCK);
        shifts[hash] = Math.min(shifts[hash] ?? 0, least - end);
      }
      const last = hashAt(text, least - BLOCK);
      const alike = byBlock.get(last);
      if (alike === undefined) byBlock.set(last, [text]);
      else alike.push(text);
    }
    for (const alike of byBlock.values()) alike.sort((a, b) => b.length - a.length);
  }

  function longestAt(text: string, start: number, hash: number): number {
    let longest = 0;
    for (const each of byBlock.get(hash) ?? []) {
      if (each.length <= longest || !text.startsWith(each.slice(0, TOLD_BY), start)) continue;
      let end = Math.min(each.length, TOLD_BY);
      while (end < each.length && text.charCodeAt(start + end) === each.charCodeAt(end)) end += 1;
      longest = Math.max(longest, end);
    }
    return longest;
  }

  const secrets: KnownSecrets = {
    learn(more) {
      const before = known.size;
      for (const value of more) {
        const isNew = value.length >= SHORTEST_KNOWN && !known.has(value);
        if (isNew) known.add(value);
      }
      if (known.size === before) return;
      for (const oldest of known) {
        if (known.size <= MOST_VALUES) break;
        known.delete(oldest);
      }
      prepare();
    },
    rangesIn(text) {
      if (least === 0 || text.length < least) return [];
      const found: TextRange[] = [];
      let at = least - BLOCK;
      const last = text.length - BLOCK;
      while (at <= last) {
        const hash = hashAt(text, at);
        const shift = shifts[hash] ?? 0;
        if (shift > 0) {
          at += shift;
          continue;
        }
        const start = at + BLOCK - least;
        const length = longestAt(text, start, hash);
        if (length > 0) found.push({ start, end: start + length });
        at += Math.max(1, length - least + 1);
      }
      return found;
    },
    isOne: (text) => known.has(text),
  };
  secrets.learn(values);
  return secrets;
}

function hashAt(text: string, at: number): number {
  return ((text.charCodeAt(at) * 31 + text.charCodeAt(at + 1)) * 31 + text.charCodeAt(at + 2)) & (TABLE - 1);
}

/** As it is, and as it stands in other forms; each of its lines too. */
function spellings(value: string): readonly string[] {
  const trimmed = value.trim();
  const lines = trimmed.split(/\r?\n/);
  const parts = lines.length === 1 ? [value, trimmed] : [value, trimmed, ...lines.filter(({ length }) => length >= LINE_LEAST)];
  return [...new Set(parts.flatMap((part) => [part, ...inJson(part), ...inUrls(part), ...inBase64(part)]))].filter(
    ({ length }) => length >= SHORTEST_KNOWN,
  );
}

function inJson(value: string): readonly string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const ascii = json.replace(/[^ -~]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return [json, ascii, json.replaceAll('/', '\\/')];
}

function inUrls(value: string): readonly string[] {
  const encoded = encodeURIComponent(value.toWellFormed());
  const strict = encoded.replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
  const all = [encoded, strict, encodeURI(value.toWellFormed()), strict.replaceAll('%20', '+')];
  return [...all, ...all.map((each) => each.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))];
}

/** In base64 of a longer text too, where it begins at any of three places of a group: the letters that are its own alone. */
function inBase64(value: string): readonly string[] {
  const bytes = [...new TextEncoder().encode(value)];
  return [0, 1, 2].flatMap((before) => {
    const text = btoa(String.fromCharCode(...Array.from({ length: before }, () => 0), ...bytes));
    const first = Math.ceil((before * 4) / 3);
    const own = text.slice(first, Math.floor(((before + bytes.length) * 4) / 3)).replaceAll('=', '');
    return own.length < 8 ? [] : [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
