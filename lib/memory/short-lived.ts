/**
 * A map and a set for objects that live for milliseconds, such as running calls. V8's Map grows and shrinks by allocating a new
 * table; the old one keeps its entries and a link to the next. Once one of them is in old space, it keeps all later ones alive
 * until the next major collection, which dominates the load of a busy server. Here entries are emptied when they are deleted.
 */

interface Place<Value> {
  held: Value | undefined;
}

/** Iterates in insertion order, like Map. Keys are not cleared, so keep them small. */
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

  /** Returns true if the key was present. */
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

/** Iterates in insertion order, like Set; may contain a value more than once. */
export class ShortLivedSet<Value> {
  readonly #members = new ShortLivedMap<number, Value>();
  #arrivals = 0;

  get size(): number {
    return this.#members.size;
  }

  /** Returns an idempotent function that removes the value. */
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
