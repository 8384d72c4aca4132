import { act, cleanup, renderHook } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { drafts } from './drafts.ts';
import { planForm } from './form-plan.ts';
import { usePayload } from './use-payload.ts';
import type { Payload } from './payload.ts';

const FORM = planForm({ type: 'object', properties: { city: { type: 'string' } } });
const TOOL = 'a_tool';

afterEach(() => {
  cleanup();
  for (const kind of ['payload', 'good', 'before'] as const) drafts.write(TOOL, kind, null);
});

const open = (loaded: Payload | null) => renderHook(() => usePayload(TOOL, FORM, loaded)).result;

it('keeps the input when other arguments are loaded, also across a reload', () => {
  const typing = open(null);
  act(() => typing.current.setPayload({ city: 'Oslo' }));
  cleanup();
  expect(open({ city: 'Rome' }).current.payload).toEqual({ city: 'Rome' });
  cleanup();
  const again = open(null);
  expect(again.current.payload).toEqual({ city: 'Rome' });
  act(() => again.current.restore?.());
  expect(again.current.payload).toEqual({ city: 'Oslo' });
  act(() => again.current.restore?.());
  expect(again.current.payload).toEqual({ city: 'Rome' });
});

it('keeps text that is not valid JSON yet', () => {
  const typing = open(null);
  act(() => typing.current.setText('{"city": '));
  cleanup();
  const loaded = open({ city: 'Rome' });
  act(() => loaded.current.restore?.());
  expect(loaded.current.text).toBe('{"city": ');
  expect(loaded.current.problem).not.toBeNull();
});

it('offers no restore if the input is the same', () => {
  expect(open({ city: 'Rome' }).current.restore).toBeNull();
  cleanup();
  expect(open({ city: 'Rome' }).current.restore).toBeNull();
});
