import { afterEach, expect, it } from 'vitest';
import { shellState } from './shell-state.ts';

afterEach(() => shellState.show(null));

it('buffers keys until the palette field exists, and returns them once', () => {
  shellState.show('palette');
  for (const key of ['w', 'e', 'x', 'Backspace', 'a', ' ', 'é', '😀', 'Backspace']) expect(shellState.typeAhead(key)).toBe(true);
  expect(shellState.takeTyped()).toBe('wea é');
  expect(shellState.takeTyped()).toBe('');
});

it('ignores keys without text', () => {
  for (const key of ['ArrowDown', 'Shift', 'Dead', 'Process', 'Tab']) expect(shellState.typeAhead(key)).toBe(false);
  expect(shellState.takeTyped()).toBe('');
});

it('clears the buffer when the palette closes', () => {
  shellState.show('palette');
  shellState.typeAhead('w');
  shellState.show(null);
  expect(shellState.takeTyped()).toBe('');
});
