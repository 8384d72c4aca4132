/** Maximum digits of a counter in a name; longer numbers are compared as text. */
const DIGITS = 16;

/**
 * Natural, case-insensitive order: `pack_2` before `pack_10`. Not `Intl.Collator`, which loads slowly; names of tools and
 * extensions are ASCII. The sort is stable.
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
