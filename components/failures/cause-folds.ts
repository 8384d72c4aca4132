import type { FailureGroup } from '#lib/contract/failure-group.ts';

/** One line of the list: a group, or several with one cause. */
export interface CauseFold {
  /** The oldest of its groups: the fold stays the same one while others join it, or are seen again and stand first. */
  readonly id: string;
  readonly first: FailureGroup;
  /** Further groups of the list with the same cause. */
  readonly others: readonly FailureGroup[];
}

/** Puts groups with one cause together, at the place of the first. */
export function foldByCause(groups: readonly FailureGroup[]): CauseFold[] {
  const taken = new Set<string>();
  const byId = new Map(groups.map((group) => [group.id, group]));
  const folds: CauseFold[] = [];
  for (const first of groups) {
    if (taken.has(first.id)) continue;
    const others = first.related.flatMap(({ id }) => {
      const other = byId.get(id);
      return other === undefined || taken.has(id) ? [] : [other];
    });
    for (const group of [first, ...others]) taken.add(group.id);
    const id = others.reduce((oldest, group) => (group.id < oldest ? group.id : oldest), first.id);
    folds.push({ id, first, others });
  }
  return folds;
}
