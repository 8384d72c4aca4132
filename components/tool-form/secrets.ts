import { replaceSecrets } from '#lib/contract/replace-secrets.ts';
import { isSecretMember, mayNameSecret } from '#lib/contract/secret-names.ts';
import { secretPlace } from '#lib/contract/secret-places.ts';
import { hideSecretTexts, holdsSecretText } from '#lib/contract/secret-texts.ts';
import type { Control, FieldPlan, FormSchema } from './field-plan.ts';

/* What of the arguments is a secret is told by the rule of the server, for the form of a whole tool. */

const MASK = '••••••';
const masked = new WeakMap<FieldPlan, FieldPlan>();

/** A payload without the values of its masked fields. */
export function withoutSecrets(value: unknown, { root }: FormSchema): unknown {
  return replaceSecrets(value, {
    place: secretPlace([root]),
    secret: () => undefined,
    text: (text) => (holdsSecretText(text) ? undefined : text),
  });
}

/** A payload whose masked values are not legible, for showing it. */
export function maskSecrets(value: unknown, { root }: FormSchema, mask = MASK): unknown {
  return replaceSecrets(value, { place: secretPlace([root]), secret: () => mask, text: (text) => hideSecretTexts(text, null, mask) });
}

/** Whether a text of arguments may hold secrets; then one that cannot be read yet is kept nowhere. */
export function mayHoldSecrets(text: string, { root }: FormSchema): boolean {
  return secretPlace([root]) !== null || mayNameSecret(text) || holdsSecretText(text);
}

/** The plan of a field that is a secret for its name, or for what it is part of. */
export function asSecret(plan: FieldPlan): FieldPlan {
  if (plan.secret) return plan;
  let secret = masked.get(plan);
  if (secret === undefined) masked.set(plan, (secret = { ...plan, secret: true }));
  return secret;
}

/** Whether a field of this name holds a secret by the name alone. */
export function isNamedSecret(name: string | number | undefined, control: Control, value: unknown): boolean {
  if (typeof name !== 'string') return false;
  if (control === 'boolean') return false;
  return isSecretMember(name, value ?? (control === 'number' || control === 'integer' ? 0 : ''));
}

/** Whether a value stands in sight in the control that edits it. */
export function isLegible({ control, secret }: FieldPlan): boolean {
  if (!secret || ['password', 'text', 'bytes', 'number', 'integer'].includes(control)) return false;
  return !['object', 'array', 'tuple', 'union'].includes(control);
}
