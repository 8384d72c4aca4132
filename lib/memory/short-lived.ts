/**
 * A map and a set for what is held for milliseconds: calls that run, requests that are answered. V8's own grow and shrink by
 * moving into a new table, and a table that was left keeps both the entries that it had then and the table that came after
 * it. Once one of them is old, each later one is kept with all that it held, until the whole memory is looked through: a server
 * under load does little else. Here such a table is left with empty places.
 */

interface Place<Value> {
  held: Value | undefined;
}

/** Iterates in the order of arrival, as a Map does. Keys are not emptied, so they are to be small. */
export class ShortLivedMap<Key extends string | number, Value> {
  readonly #places = new Map<Key, Place<Value>>();

  get size(): number {
    return this.#places.size;
  }

  get(key: Key): Value | undefined {
    return this.#places.get(key)?.held;
  }

  has(key: Key): boolean {
    return this.#places.has(key);
  }

  set(key: Key, value: Value): void {
    const place = this.#places.get(key);
    if (place === undefined) this.#places.set(key, { held: value });
    else place.held = value;
  }

  /** True if it was there. */
  delete(key: Key): boolean {
    const place = this.#places.get(key);
    if (place === undefined) return false;
    place.held = undefined;
    return this.#places.delete(key);
  }

  clear(): void {
    for (const place of this.#places.values()) place.held = undefined;
    this.#places.clear();
  }

  keys(): MapIterator<Key> {
    return this.#places.keys();
  }

  *values(): Generator<Value, void> {
    for (const place of this.#places.values()) if (place.held !== undefined) yield place.held;
  }
}

/** Iterates in the order of arrival, as a Set does; the same value may be in it more than once. */
export class ShortLivedSet<Value> {
  readonly #members = new ShortLivedMap<number, Value>();
  #arrivals = 0;

  get size(): number {
    return this.#members.size;
  }

  /** Returns what takes it out again; once is enough. */
  add(value: Value): () => void {
    this.#arrivals += 1;
    const arrival = this.#arrivals;
    this.#members.set(arrival, value);
    return () => void this.#members.delete(arrival);
  }

  [Symbol.iterator](): Generator<Value, void> {
    return this.#members.values();
  }
}
