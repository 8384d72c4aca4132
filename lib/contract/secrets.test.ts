import { describe, expect, it } from 'vitest';
import { missingSecretOf, secretMissing } from './names.ts';
import { declaredSecrets, secretsIn } from './secrets.ts';

describe('names of secrets', () => {
  it.each([
    ['export const SECRETS = [\'API_KEY\', "B"];', ['API_KEY', 'B']],
    ['export const SECRETS: readonly string[] = [\n  `API_KEY`,\n] as const;', ['API_KEY']],
    ["const SECRETS = ['A'];\nmodule.exports = { TOOL, SECRETS };", ['A']],
    ['import os\nSECRETS = ["A", "B", "A"]', ['A', 'B']],
    ['SECRETS: tuple[str, ...] = ("A",)', ['A']],
    ["// export const SECRETS = ['A'];", []],
    ["# SECRETS = ['A']", []],
    ["export const MY_SECRETS = ['A'];", []],
    ["export const SECRETS = ['not-a-name'];", ['not-a-name']],
  ])('are read from a source: %j', (source, names) => {
    expect(declaredSecrets(source)).toEqual(names);
  });

  it('are read from placeholders', () => {
    expect(secretsIn('{"A":"Bearer ${secret:ONE}","B":"${secret:TWO:-x}${secret:ONE}${env:THREE}"}')).toEqual(['ONE', 'TWO']);
  });

  it('are found in the failure that names a missing one', () => {
    expect(missingSecretOf({ code: 'config_missing', ...secretMissing('API_KEY') })).toBe('API_KEY');
    expect(missingSecretOf({ code: 'config_missing', message: 'The variable API_KEY is not set.' })).toBeNull();
    expect(missingSecretOf({ code: 'config_missing', ...secretMissing('not-a-name') })).toBeNull();
    expect(secretMissing('not-a-name').hint).toContain('cannot be the name of a secret');
  });
});
