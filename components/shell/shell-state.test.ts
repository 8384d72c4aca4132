import { afterEach, expect, it } from 'vitest';
import { shellState } from './shell-state.ts';

afterEach(() => shellState.show(null));

it('keeps what is typed before the palette has its field, and gives it once', () => {
  shellState.show('palette');
  for (const key of ['w', 'e', 'x', 'Backspace', 'a', ' ', 'é', '😀', 'Backspace']) expect(shellState.typeAhead(key)).toBe(true);
  expect(shellState.takeTyped()).toBe('wea é');
  expect(shellState.takeTyped()).toBe('');
});

it('takes no key that writes nothing', () => {
  for (const key of ['ArrowDown', 'Shift', 'Dead', 'Process', 'Tab']) expect(shellState.typeAhead(key)).toBe(false);
  expect(shellState.takeTyped()).toBe('');
});

it('forgets what was typed when the palette is closed', () => {
  shellState.show('palette');
  shellState.typeAhead('w');
  shellState.show(null);
  expect(shellState.takeTyped()).toBe('');
});
