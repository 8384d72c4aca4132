interface Waiting {
  readonly id: string;
  readonly newest: { readonly awaitsOwner: string | null } | null;
}

/**
 * Extensions that wait for a name that may be free now, because its owner changed or was removed. Those that wait for a
 * waiting extension are retried with it, so that two that swap names are loaded together; other changes retry none.
 * @param changed ids of changed entries in the set
 */
export function extensionsToRetry<Slot extends Waiting>(slots: ReadonlyMap<string, Slot>, changed: ReadonlySet<string>): readonly Slot[] {
  const waiting = [...slots.values()].filter((slot) => slot.newest?.awaitsOwner != null);
  const woken = new Set<string>();
  const isRetried = ({ newest }: Slot): boolean => {
    const owner = newest?.awaitsOwner ?? '';
    return changed.has(owner) || woken.has(owner) || !slots.has(owner);
  };
  for (let before = -1; before < woken.size;) {
    before = woken.size;
    for (const slot of waiting) if (isRetried(slot)) woken.add(slot.id);
  }
  return waiting.filter(({ id }) => woken.has(id));
}
