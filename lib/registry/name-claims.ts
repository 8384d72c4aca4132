import { compareCodePoints } from './snapshot.ts';

/** A loaded extension that wants to own these tool names. */
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
 * Decides which extension owns which tool name. An owner holds its names until it registers a new set or is removed.
 * Among simultaneous claims the first id in code-point order wins. A refused claim reserves nothing and releases
 * nothing.
 * Claims that depend on names another claim releases are retried until nothing changes, so the order in which loads
 * finish does not matter. Claims that depend on each other, as in a swap, are accepted together.
 * @param owned names owned now, by extension id
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
 * Claims that wait only for each other, as when two extensions swap names: the largest set that is conflict-free when
 * all release their names. A conflicting claim releases nothing, which may block another claim, so the rest is checked
 * again.
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
