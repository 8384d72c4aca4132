import fc from 'fast-check';

/** Occasionally one of a few edge values, shrunk like values of `base`. */
export function withEdges<Value>(base: fc.Arbitrary<Value>, edges: readonly Value[], oneIn = 3): fc.Arbitrary<Value> {
  return edges.length === 0 ? base : new EdgeArbitrary(base, edges, oneIn);
}

/** Lazy: a recursive schema would otherwise be followed endlessly. */
export function lazily<Value>(make: () => fc.Arbitrary<Value>): fc.Arbitrary<Value> {
  return new LazyArbitrary(make);
}

/** Regenerates invalid values a few times; the last one is used even if invalid, so that it always ends. */
export function preferring<Value>(base: fc.Arbitrary<Value>, fits: (value: Value) => boolean, tries: number): fc.Arbitrary<Value> {
  return new PreferringArbitrary(base, fits, tries);
}

/** Lazy shrinking: a long text has very many smaller ones. */
export function shrinkingWhile<Value>(base: fc.Arbitrary<Value>, isWanted: () => boolean): fc.Arbitrary<Value> {
  return new ShrinkingWhileArbitrary(base, isWanted);
}

class EdgeArbitrary<Value> extends fc.Arbitrary<Value> {
  readonly #base: fc.Arbitrary<Value>;
  readonly #edges: readonly Value[];
  readonly #oneIn: number;
  readonly #isEdge = {};

  constructor(base: fc.Arbitrary<Value>, edges: readonly Value[], oneIn: number) {
    super();
    this.#base = base;
    this.#edges = edges;
    this.#oneIn = oneIn;
  }

  generate(random: fc.Random, bias: number | undefined): fc.Value<Value> {
    if (random.nextInt(1, this.#oneIn) > 1) return this.#base.generate(random, bias);
    const at = random.nextInt(0, this.#edges.length - 1);
    const edge = this.#edges[at];
    return edge === undefined ? this.#base.generate(random, bias) : new fc.Value(edge, this.#isEdge);
  }

  canShrinkWithoutContext(value: unknown): value is Value {
    return this.#base.canShrinkWithoutContext(value);
  }

  shrink(value: Value, context: unknown): fc.Stream<fc.Value<Value>> {
    if (context !== this.#isEdge) return this.#base.shrink(value, context);
    return this.#base.canShrinkWithoutContext(value) ? this.#base.shrink(value, undefined) : fc.Stream.nil();
  }
}

class LazyArbitrary<Value> extends fc.Arbitrary<Value> {
  readonly #make: () => fc.Arbitrary<Value>;
  #made: fc.Arbitrary<Value> | null = null;

  constructor(make: () => fc.Arbitrary<Value>) {
    super();
    this.#make = make;
  }

  #inner(): fc.Arbitrary<Value> {
    this.#made ??= this.#make();
    return this.#made;
  }

  generate(random: fc.Random, bias: number | undefined): fc.Value<Value> {
    return this.#inner().generate(random, bias);
  }

  /** Asking the inner arbitrary might not end. */
  canShrinkWithoutContext(_value: unknown): _value is Value {
    return false;
  }

  shrink(value: Value, context: unknown): fc.Stream<fc.Value<Value>> {
    return this.#inner().shrink(value, context);
  }
}

class PreferringArbitrary<Value> extends fc.Arbitrary<Value> {
  readonly #base: fc.Arbitrary<Value>;
  readonly #fits: (value: Value) => boolean;
  readonly #tries: number;

  constructor(base: fc.Arbitrary<Value>, fits: (value: Value) => boolean, tries: number) {
    super();
    this.#base = base;
    this.#fits = fits;
    this.#tries = tries;
  }

  generate(random: fc.Random, bias: number | undefined): fc.Value<Value> {
    let made = this.#base.generate(random, bias);
    for (let tried = 1; tried < this.#tries && !this.#fits(made.value); tried += 1) made = this.#base.generate(random, bias);
    return made;
  }

  canShrinkWithoutContext(value: unknown): value is Value {
    return this.#base.canShrinkWithoutContext(value);
  }

  shrink(value: Value, context: unknown): fc.Stream<fc.Value<Value>> {
    return this.#base.shrink(value, context).filter((smaller) => this.#fits(smaller.value));
  }
}

class ShrinkingWhileArbitrary<Value> extends fc.Arbitrary<Value> {
  readonly #base: fc.Arbitrary<Value>;
  readonly #isWanted: () => boolean;

  constructor(base: fc.Arbitrary<Value>, isWanted: () => boolean) {
    super();
    this.#base = base;
    this.#isWanted = isWanted;
  }

  generate(random: fc.Random, bias: number | undefined): fc.Value<Value> {
    return this.#base.generate(random, bias);
  }

  canShrinkWithoutContext(value: unknown): value is Value {
    return this.#base.canShrinkWithoutContext(value);
  }

  shrink(value: Value, context: unknown): fc.Stream<fc.Value<Value>> {
    return this.#isWanted() ? this.#base.shrink(value, context).takeWhile(() => this.#isWanted()) : fc.Stream.nil();
  }
}
