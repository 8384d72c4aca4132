import { replaceSecrets } from '#lib/contract/replace-secrets.ts';
import { isSecretMember, mayNameSecret } from '#lib/contract/secret-names.ts';
import { secretPlace } from '#lib/contract/secret-places.ts';
import { hideSecretTexts, holdsSecretText } from '#lib/contract/secret-texts.ts';
import type { Control, FieldPlan, FormSchema } from './field-plan.ts';
import { isJsonObject } from './json-text.ts';
import type { Payload } from './payload.ts';

/* The same rule as on the server. */

const MASK = '••••••';
const masked = new WeakMap<FieldPlan, FieldPlan>();

export function withoutSecrets(value: unknown, { root }: FormSchema): unknown {
  return replaceSecrets(value, {
    place: secretPlace([root]),
    secret: () => undefined,
    text: (text) => (holdsSecretText(text) ? undefined : text),
  });
}

export function maskSecrets(payload: Payload, { root }: FormSchema, mask = MASK): Payload {
  const rule = { place: secretPlace([root]), secret: () => mask, text: (text: string) => hideSecretTexts(text, null, mask) };
  const shown = replaceSecrets(payload, rule);
  return isJsonObject(shown) ? shown : {};
}

/** Then text that cannot be parsed is not stored. */
export function mayHoldSecrets(text: string, { root }: FormSchema): boolean {
  return secretPlace([root]) !== null || mayNameSecret(text) || holdsSecretText(text);
}

export function asSecret(plan: FieldPlan): FieldPlan {
  if (plan.secret) return plan;
  let secret = masked.get(plan);
  if (secret === undefined) masked.set(plan, (secret = { ...plan, secret: true }));
  return secret;
}

export function isNamedSecret(name: string | number | undefined, control: Control, value: unknown): boolean {
  if (typeof name !== 'string') return false;
  if (control === 'boolean') return false;
  return isSecretMember(name, value ?? (control === 'number' || control === 'integer' ? 0 : ''));
}

export function isLegible({ control, secret }: FieldPlan): boolean {
  if (!secret || ['password', 'text', 'bytes', 'number', 'integer'].includes(control)) return false;
  return !['object', 'array', 'tuple', 'union'].includes(control);
}
