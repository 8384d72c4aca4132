import { REDACTED, isSecretMember } from './secret-names.ts';
import type { SecretPlace } from './secret-places.ts';

/**
 * Finds secrets in values by member name and by schema, for everything stored, shown or copied. lib/contract/secret-texts.ts
 * finds secrets in texts. Values are replaced, names never, so the JSON keeps its shape.
 * What can go wrong: deep nesting could exhaust the stack; deeper values count as secrets.
 */
export interface SecretRule {
  /** Schemas of the value, or null. */
  readonly place: SecretPlace | null;
  /** JSON Pointers of known secrets. */
  readonly at?: ReadonlySet<string>;
  /** Replacement of a secret; undefined omits a member and makes an item null. */
  readonly secret: (found: FoundSecret) => unknown;
  /** Replacement of any other text, by JSON Pointer; undefined as above. */
  readonly text?: (text: string, path: string) => unknown;
  /** Replacement of any other number. */
  readonly number?: (value: number | bigint) => unknown;
}

export interface FoundSecret {
  /** JSON Pointer. */
  readonly path: string;
  /** Member name or item index. */
  readonly name: string;
  readonly value: unknown;
}

const DEEPEST = 500;

export function replaceSecrets(value: unknown, rule: SecretRule): unknown {
  return replaced(value, '', rule.place, rule, 0);
}

/** Omits the values at these pointers: members are removed, items become null. */
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

/** All members of a secret value are secret. */
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
