/** The columns of the list of calls, in their order. Time and tool are always there; a narrow list shows the `essential` ones. */
export const COLUMNS = [
  { key: 'time', name: 'Time', width: '5rem', essential: true, fixed: true },
  { key: 'tool', name: 'Tool', width: 'minmax(8rem,13rem)', essential: true, fixed: true },
  { key: 'extension', name: 'Extension', width: 'minmax(5rem,9rem)', essential: false, fixed: false },
  { key: 'revision', name: 'Revision', width: '4.5rem', essential: false, fixed: false },
  { key: 'status', name: 'Status', width: '7rem', essential: true, fixed: false },
  { key: 'error', name: 'Error', width: 'minmax(8rem,14rem)', essential: false, fixed: false },
  { key: 'source', name: 'Source', width: '7rem', essential: false, fixed: false },
  { key: 'actor', name: 'Actor', width: 'minmax(5rem,8rem)', essential: false, fixed: false },
  { key: 'arguments', name: 'Arguments', width: 'minmax(0,1fr)', essential: true, fixed: false },
  { key: 'duration', name: 'Duration', width: '5rem', essential: true, fixed: false },
] as const;

export type ColumnKey = (typeof COLUMNS)[number]['key'];

const AT_FIRST: readonly ColumnKey[] = ['time', 'tool', 'status', 'source', 'arguments', 'duration'];

/** The widths of a grid for these columns: of a wide list, and of a narrower one. */
export function gridOf(shown: readonly ColumnKey[]): { readonly wide: string; readonly narrower: string } {
  const columns = COLUMNS.filter((column) => shown.includes(column.key));
  const widths = (some: readonly (typeof COLUMNS)[number][]) =>
    some.map(({ key, width }) => (key === 'tool' && !shown.includes('arguments') ? 'minmax(8rem,1fr)' : width)).join(' ');
  return { wide: widths(columns), narrower: widths(columns.filter((column) => column.essential)) };
}

/** What was kept as text, as columns; what is not understood counts as nothing kept. */
export function readColumns(text: string | null): readonly ColumnKey[] {
  if (text === null) return AT_FIRST;
  const names = text.split(',');
  const known = COLUMNS.filter((column) => column.fixed || names.includes(column.key)).map((column) => column.key);
  return names.every((name) => COLUMNS.some((column) => column.key === name)) ? known : AT_FIRST;
}

export interface ColumnMemory {
  subscribe(changed: () => void): () => void;
  current(): readonly ColumnKey[];
  atFirst(): readonly ColumnKey[];
  /** Null: as at first. */
  set(columns: readonly ColumnKey[] | null): void;
}

const KEY = 'switchboard.calls.columns';

/** Which columns people chose, in this browser. Storage can be switched off; then the choice lasts as long as the page. */
export function createColumnMemory(storage: () => Storage | null): ColumnMemory {
  const listeners = new Set<() => void>();
  let chosen: readonly ColumnKey[] | null = null;

  const open = () => {
    try {
      return storage();
    } catch {
      return null;
    }
  };

  return {
    subscribe(changed) {
      listeners.add(changed);
      return () => void listeners.delete(changed);
    },
    current: () => (chosen ??= readColumns(open()?.getItem(KEY) ?? null)),
    atFirst: () => AT_FIRST,
    set(columns) {
      chosen =
        columns === null ? AT_FIRST : COLUMNS.filter((column) => column.fixed || columns.includes(column.key)).map((column) => column.key);
      try {
        if (columns === null) open()?.removeItem(KEY);
        else open()?.setItem(KEY, chosen.join(','));
      } catch {
        // Full or refused: the choice holds for this page.
      }
      for (const changed of listeners) changed();
    },
  };
}

export const columnMemory = createColumnMemory(() => (typeof window === 'undefined' ? null : window.localStorage));
