export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Known secret values, found in plain text and in JSON, URL, form and base64 encoding. All are searched at once (Wu–Manber), so
 * the cost does not grow with their number. What can go wrong: short values occur by chance (they are not searched), very many
 * values (the oldest are dropped), a value changes (the old one stays secret), values of kilobytes (matched by their prefix),
 * text truncated inside a value.
 */
export interface KnownSecrets {
  /** Adds values to redact. */
  learn(values: Iterable<string>): void;
  /** In any order; they may overlap. */
  rangesIn(text: string): readonly TextRange[];
  /** Whether the text equals one of them. */
  isOne(text: string): boolean;
}

/** Shorter values occur by chance. */
export const SHORTEST_KNOWN = 6;
const MOST_VALUES = 500;
/** Prefix used for matching. */
const MATCHED_PREFIX = 64;
/** Lines of multi-line values may be printed separately. */
const LINE_LEAST = 16;
const BLOCK = 3;
const TABLE = 4_096;

export function createKnownSecrets(values: Iterable<string> = []): KnownSecrets {
  const known = new Set<string>();
  /** Patterns by the hash of the block at the end of their first `least` characters. */
  let byBlock = new Map<number, string[]>();
  let shifts = new Uint8Array(TABLE);
  let least = 0;

  function prepare(): void {
    const spelled = [...new Set([...known].flatMap(spellings))];
    least = Math.min(MATCHED_PREFIX, ...spelled.map(({ length }) => length));
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
      if (each.length <= longest || !text.startsWith(each.slice(0, MATCHED_PREFIX), start)) continue;
      let end = Math.min(each.length, MATCHED_PREFIX);
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

/** The value, its encodings, and its lines. */
export function spellings(value: string): readonly string[] {
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
  const form = new URLSearchParams([['', value]]).toString().slice('='.length);
  const all = [encoded, strict, encodeURI(value.toWellFormed()), strict.replaceAll('%20', '+'), form];
  return [...all, ...all.map((each) => each.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))];
}

/** Base64 at each of the three alignments inside a longer text. */
function inBase64(value: string): readonly string[] {
  const bytes = [...new TextEncoder().encode(value)];
  return [0, 1, 2].flatMap((before) => {
    const text = btoa(String.fromCharCode(...Array.from({ length: before }, () => 0), ...bytes));
    const first = Math.ceil((before * 4) / 3);
    const own = text.slice(first, Math.floor(((before + bytes.length) * 4) / 3)).replaceAll('=', '');
    return own.length < 8 ? [] : [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
