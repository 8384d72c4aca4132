import { expect, it } from 'vitest';
import { valueInWords, whereInWords } from './setting-words.ts';

const setting = { name: 'memory_limit', value: '512 MiB', variable: 'EXTENSION_MEMORY_MB', is_set: false, change: '' } as const;

it('says where a value comes from', () => {
  expect(whereInWords(setting)).toBe('The default, since EXTENSION_MEMORY_MB is not set.');
  expect(whereInWords({ ...setting, is_set: true })).toBe('Set by EXTENSION_MEMORY_MB.');
  expect(whereInWords({ ...setting, name: 'pinned', variable: null })).toBe('');
});

it('says bytes as people do', () => {
  expect([valueInWords('10485760 bytes'), valueInWords('60 s')]).toEqual(['10 MiB', '60 s']);
});
