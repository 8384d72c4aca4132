/** Thousands of tools are searched at each key, so only the best entries of a group are drawn. */
const SHOWN_MOST = 50;

export interface Searchable<Item> {
  readonly item: Item;
  /** Lower case. */
  readonly text: string;
}

export interface Found<Item> {
  /** The best first, in their order otherwise. */
  readonly items: readonly Item[];
  /** How many more match. */
  readonly more: number;
  /** Of the best; 0 without any. */
  readonly score: number;
}

/** @param wordsOf the first begins the entry */
export function searchable<Item>(items: readonly Item[], wordsOf: (item: Item) => readonly string[]): readonly Searchable<Item>[] {
  return items.map((item) => ({ item, text: wordsOf(item).join(' ').toLowerCase() }));
}

/** Every word must occur in the entry; entries with words that begin so come first. */
export function findEntries<Item>(entries: readonly Searchable<Item>[], search: string): Found<Item> {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const begun: Item[] = [];
  const others: Item[] = [];
  let count = 0;
  for (const { item, text } of entries) {
    if (!words.every((word) => text.includes(word))) continue;
    count += 1;
    const list = words.every((word) => isBegun(text, word)) ? begun : others;
    if (list.length < SHOWN_MOST) list.push(item);
  }
  const items = [...begun, ...others].slice(0, SHOWN_MOST);
  return { items, more: count - items.length, score: begun.length > 0 ? 1 : others.length > 0 ? 0.5 : 0 };
}

function isBegun(text: string, word: string): boolean {
  return text.startsWith(word) || /[\s_\-/]/.test(text.charAt(text.indexOf(word) - 1));
}
