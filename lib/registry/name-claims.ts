import { compareCodePoints } from './snapshot.ts';

/** An extension that has just loaded and wants to own these tool names. */
export interface Claim {
  readonly id: string;
  readonly names: readonly string[];
}

export interface RefusedClaim {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
}

export interface ClaimsOutcome {
  readonly accepted: ReadonlySet<string>;
  readonly refused: readonly RefusedClaim[];
}

/**
 * Decides who owns which tool name. An owner keeps its names until it registers a new set or is gone; among claims that
 * come together the first id in code-point order wins; a refused claim reserves nothing and gives nothing up.
 * Claims that depend on names another claim gives up are tried again until nothing moves, so the outcome does not depend on
 * the order in which loads finished; those that depend on each other, as in a swap, are accepted together.
 * @param owned names owned at present, by extension id
 */
export function settleClaims(owned: ReadonlyMap<string, readonly string[]>, claims: readonly Claim[]): ClaimsOutcome {
  const owners = new Map<string, string>();
  for (const [id, names] of owned) for (const name of names) owners.set(name, id);
  const accepted = new Set<string>();
  let waiting = [...claims].sort((a, b) => compareCodePoints(a.id, b.id));
  let moved = true;
  const take = (claim: Claim): void => {
    for (const [name, owner] of owners) if (owner === claim.id) owners.delete(name);
    for (const name of claim.names) owners.set(name, claim.id);
    accepted.add(claim.id);
    moved = true;
  };
  while (moved && waiting.length > 0) {
    moved = false;
    const stillWaiting: Claim[] = [];
    for (const claim of waiting) {
      if (findConflict(owners, claim) !== null) {
        stillWaiting.push(claim);
        continue;
      }
      take(claim);
    }
    waiting = stillWaiting;
    if (moved) continue;
    const exchanged = new Set(findExchange(owners, waiting));
    for (const [name, owner] of owners) if ([...exchanged].some(({ id }) => id === owner)) owners.delete(name);
    for (const claim of exchanged) take(claim);
    waiting = waiting.filter((claim) => !exchanged.has(claim));
  }
  const refused = waiting.flatMap((claim) => findConflict(owners, claim) ?? []);
  return { accepted, refused };
}

/**
 * Claims that wait for each other alone, as when two extensions swap names: the most of them that fit when all give up what they
 * own. One that does not fit keeps its names, which may leave another without, so it is asked again until all that are left fit.
 */
function findExchange(owners: ReadonlyMap<string, string>, waiting: readonly Claim[]): readonly Claim[] {
  let left = waiting;
  for (;;) {
    const ids = new Set(left.map(({ id }) => id));
    const next = new Map([...owners].filter(([, owner]) => !ids.has(owner)));
    const fitting = left.filter((claim) => {
      if (findConflict(next, claim) !== null) return false;
      for (const name of claim.names) next.set(name, claim.id);
      return true;
    });
    if (fitting.length === left.length) return left;
    left = fitting;
  }
}

function findConflict(owners: ReadonlyMap<string, string>, claim: Claim): RefusedClaim | null {
  for (const name of claim.names) {
    const owner = owners.get(name);
    if (owner !== undefined && owner !== claim.id) return { id: claim.id, name, owner };
  }
  return null;
}
