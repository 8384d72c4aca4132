import { REDACTED, isSecretMember } from './secret-names.ts';
import type { SecretPlace } from './secret-places.ts';

/**
 * The one rule for what of a value is a secret, for everything that is kept, shown, copied or saved: a member whose name says so,
 * and any value of which a schema says so. Secrets within texts are told by lib/contract/secret-texts.ts to whoever has a rule
 * for texts. Only values are replaced, never names, so that what comes out is JSON of the same shape.
 * What can go wrong: a value nested so deep that looking at it would exhaust the stack; what is below counts as a secret.
 */
export interface SecretRule {
  /** What the schemas say of the whole value; null where they say nothing. */
  readonly place: SecretPlace | null;
  /** JSON Pointers of what is known to be one. */
  readonly at?: ReadonlySet<string>;
  /** What stands instead of a secret; undefined leaves a member out, and makes an item null, so that the others keep their places. */
  readonly secret: (found: FoundSecret) => unknown;
  /** What stands instead of any other text, told apart by its JSON Pointer; undefined as with a secret. */
  readonly text?: (text: string, path: string) => unknown;
  /** What stands instead of any other number. */
  readonly number?: (value: number | bigint) => unknown;
}

export interface FoundSecret {
  /** JSON Pointer. */
  readonly path: string;
  /** The name of the member, or the place of the item. */
  readonly name: string;
  readonly value: unknown;
}

const DEEPEST = 500;

export function replaceSecrets(value: unknown, rule: SecretRule): unknown {
  return replaced(value, '', rule.place, rule, 0);
}

/** The same without what stands at these pointers: members are left out, items are null. */
export function leaveOutAt(value: Readonly<Record<string, unknown>>, pointers: readonly string[]): Record<string, unknown> {
  return membersWithout(value, new Set(pointers), '', 0);
}

function replaced(value: unknown, at: string, place: SecretPlace | null, rule: SecretRule, depth: number): unknown {
  if (typeof value === 'string') return rule.text === undefined ? value : rule.text(value, at);
  if (typeof value === 'number' || typeof value === 'bigint') return rule.number === undefined ? value : rule.number(value);
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => {
      const path = `${at}/${index}`;
      const inner = place?.at(index) ?? null;
      if (item !== null && (rule.at?.has(path) === true || isHidden(inner, place, at, depth)))
        return rule.secret({ path, name: String(index), value: item }) ?? null;
      return replaced(item, path, inner, rule, depth + 1) ?? null;
    });
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
      const path = `${at}/${inPointer(name)}`;
      const inner = place?.at(name) ?? null;
      const isSecret = isSecretMember(name, member) || rule.at?.has(path) === true || isHidden(inner, place, at, depth);
      const isKept = member === null || !isSecret;
      const instead = isKept ? replaced(member, path, inner, rule, depth + 1) : rule.secret({ path, name, value: member });
      return instead === undefined ? [] : [[name, instead]];
    }),
  );
}

/** A whole value that is a secret is one in all its members. */
function isHidden(place: SecretPlace | null, around: SecretPlace | null, at: string, depth: number): boolean {
  return place?.isSecret === true || (at === '' && around?.isSecret === true) || depth > DEEPEST;
}

function membersWithout(value: object, pointers: ReadonlySet<string>, at: string, depth: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
      const path = `${at}/${inPointer(name)}`;
      return pointers.has(path) ? [] : [[name, valueWithout(member, pointers, path, depth + 1)]];
    }),
  );
}

function valueWithout(value: unknown, pointers: ReadonlySet<string>, at: string, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DEEPEST) return REDACTED;
  if (!Array.isArray(value)) return membersWithout(value, pointers, at, depth);
  return value.map((item: unknown, index) =>
    pointers.has(`${at}/${index}`) ? null : valueWithout(item, pointers, `${at}/${index}`, depth + 1),
  );
}

function inPointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
