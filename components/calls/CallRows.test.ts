import { describe, expect, it } from 'vitest';
import { callRecord } from '#lib/testing/api-records.ts';
import { columnsFor, createColumnMemory, detailsInWords, gridOf, readColumns } from './CallRows.tsx';

function storage(): Storage {
  const stored = new Map<string, string>();
  return {
    length: 0,
    clear: () => stored.clear(),
    key: () => null,
    getItem: (key) => stored.get(key) ?? null,
    setItem: (key, value) => void stored.set(key, value),
    removeItem: (key) => void stored.delete(key),
  };
}

describe('the columns of the list of calls', () => {
  it('are stored in the browser in list order, always with time and tool', () => {
    const stored = storage();
    const memory = createColumnMemory(() => stored);
    memory.set(['duration', 'error']);
    expect(memory.current()).toEqual(['time', 'tool', 'error', 'duration']);
    expect(createColumnMemory(() => stored).current()).toEqual(['time', 'tool', 'error', 'duration']);
    memory.set(null);
    expect(createColumnMemory(() => stored).current()).toEqual(memory.atFirst());
  });

  it('last as long as the page without storage', () => {
    const memory = createColumnMemory(() => {
      throw new Error('refused');
    });
    let notified = 0;
    const end = memory.subscribe(() => (notified += 1));
    memory.set(['actor']);
    expect(memory.current()).toEqual(['time', 'tool', 'actor']);
    end();
    memory.set(null);
    expect(notified).toBe(1);
  });

  it('are the defaults when the stored value is invalid', () => {
    expect(readColumns('time,colour')).toEqual(readColumns(null));
    expect(readColumns('')).toEqual(readColumns(null));
  });

  it('include the instance if there are several, until columns are chosen', () => {
    const memory = createColumnMemory(storage);
    expect(columnsFor(memory.atFirst(), true)).toEqual([...memory.atFirst(), 'instance']);
    memory.set(['duration']);
    expect(columnsFor(memory.current(), true)).toEqual(['time', 'tool', 'duration']);
    memory.set(['duration', 'instance']);
    expect(columnsFor(memory.current(), true)).toContain('instance');
    expect(columnsFor(memory.current(), false)).not.toContain('instance');
  });

  it('give their width to the tool when arguments are hidden', () => {
    expect(gridOf(['time', 'tool', 'actor', 'duration'])).toEqual({
      wide: '5rem minmax(8rem,1fr) minmax(5rem,8rem) 5rem',
      narrower: '5rem minmax(8rem,1fr) 5rem',
    });
    expect(gridOf(['time', 'tool', 'arguments']).narrower).toBe('5rem minmax(8rem,13rem) minmax(0,1fr)');
  });

  it('are shown in the card of a narrow list if they are chosen', () => {
    const call = callRecord({ extension: 'weather', revision: 3, source: 'api', actor: 'anna', error: null });
    expect(detailsInWords(call, ['time', 'tool', 'extension', 'revision', 'status', 'error', 'source', 'actor', 'arguments'])).toBe(
      'weather · revision 3 · API · anna',
    );
    expect(detailsInWords(call, ['time', 'tool', 'actor'])).toBe('anna');
    expect(detailsInWords(call, ['time', 'tool', 'duration'])).toBe('');
  });
});
