interface Waiting {
  readonly id: string;
  readonly newest: { readonly awaitsOwner: string | null } | null;
}

/**
 * Those that wait for a name and may have it now: its owner changed or is gone. Whoever waits for one that waits itself is woken
 * with it, so that two which exchange their names are looked at together; what changed elsewhere wakes nobody.
 * @param changed ids of what is not as it was, in the set of extensions
 */
export function wokenBy<Slot extends Waiting>(slots: ReadonlyMap<string, Slot>, changed: ReadonlySet<string>): readonly Slot[] {
  const waiting = [...slots.values()].filter((slot) => slot.newest?.awaitsOwner != null);
  const woken = new Set<string>();
  const isWoken = ({ newest }: Slot): boolean => {
    const owner = newest?.awaitsOwner ?? '';
    return changed.has(owner) || woken.has(owner) || !slots.has(owner);
  };
  for (let before = -1; before < woken.size;) {
    before = woken.size;
    for (const slot of waiting) if (isWoken(slot)) woken.add(slot.id);
  }
  return waiting.filter(({ id }) => woken.has(id));
}
