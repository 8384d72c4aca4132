/** As many digits as a name is likely to count with; longer numbers still have an order of their own. */
const DIGITS = 16;

/**
 * By name as people read it: `pack_2` before `pack_10`, capitals among small letters. Without the rules of a language, which take
 * long to load: names of tools and extensions are plain letters. Names that read the same stay as they were.
 */
export function sortByName<Item>(items: readonly Item[], nameOf: (item: Item) => string): readonly Item[] {
  return items
    .map((item) => ({ item, key: nameOf(item).toLowerCase().replace(/\d+/g, padNumber) }))
    .sort((one, other) => (one.key < other.key ? -1 : Number(one.key > other.key)))
    .map(({ item }) => item);
}

function padNumber(digits: string): string {
  return digits.padStart(DIGITS, '0');
}
