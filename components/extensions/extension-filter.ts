import { sortByName } from '#components/ui/name-order.ts';
import type { Extension, ExtensionKind, ExtensionState } from '#lib/contract/extension.ts';

export interface ExtensionFilter {
  readonly q: string;
  readonly state: ExtensionState | null;
  readonly kind: ExtensionKind | null;
}

const ORDER: readonly ExtensionState[] = ['failed', 'degraded', 'loading', 'ready', 'disabled', 'excluded'];

/** Failed first, then running, then disabled; by name within each. */
export function sortExtensions(extensions: readonly Extension[]): readonly Extension[] {
  return sortByName(extensions, ({ id }) => id).toSorted((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state));
}

export function filterExtensions(extensions: readonly Extension[], filter: ExtensionFilter): readonly Extension[] {
  const words = filter.q
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return extensions.filter((extension) => {
    if (filter.state !== null && extension.state !== filter.state) return false;
    if (filter.kind !== null && extension.kind !== filter.kind) return false;
    if (words.length === 0) return true;
    const text = [extension.id, extension.name, extension.description, extension.failure?.error ?? '', ...extension.tools]
      .join('\n')
      .toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

export function countStates(extensions: readonly Extension[]): readonly { readonly state: ExtensionState; readonly count: number }[] {
  return ORDER.map((state) => ({ state, count: extensions.filter((extension) => extension.state === state).length })).filter(
    ({ count }) => count > 0,
  );
}
