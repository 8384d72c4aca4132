import { expect, it } from 'vitest';
import { createLateSecrets } from './late-secrets.ts';
import type { CallHooks } from './runtime.ts';

const hooksOf = (secret: string): CallHooks => ({
  callId: secret,
  timeoutMs: 1,
  signal: new AbortController().signal,
  onLog: () => undefined,
  onProgress: () => undefined,
  withoutSecrets: (text) => text.replaceAll(secret, '…'),
});

it('hides the secrets of abandoned and recently ended calls, for a limited time', () => {
  let now = 0;
  const late = createLateSecrets(() => now);
  late.abandon(1, hooksOf('one'));
  late.end(2, hooksOf('two'));
  expect(late.cleanAny('one two three')).toBe('… … three');
  expect([late.clean(1, 'one two'), late.clean(2, 'one two'), late.clean(3, 'one two')]).toEqual(['… two', 'one …', 'one two']);
  now = 3_600_000;
  expect(late.cleanAny('one two')).toBe('… two');
  late.end(1, null);
  expect(late.cleanAny('one two')).toBe('… two');
  now = 7_200_000;
  expect(late.cleanAny('one two')).toBe('one two');
});

it('keeps the secrets of the newest calls', () => {
  const late = createLateSecrets(() => 0);
  for (let id = 1; id <= 10_000; id += 1) late.end(id, hooksOf(`secret ${id};`));
  expect(late.cleanAny('secret 1; secret 10000;')).toBe('secret 1; …');
});
