import { authorize } from '#lib/access/authorize.ts';
import type { Principal } from '#lib/access/principal.ts';
import type { Person, SessionView } from '#lib/contract/account.ts';
import { type Action, ACTIONS } from '#lib/contract/actions.ts';

export interface SessionViewOptions {
  /** Name of the identity provider, or null. */
  readonly provider: string | null;
  hasMembers(): boolean;
}

export function createSessionView({ provider, hasMembers }: SessionViewOptions): (principal: Principal) => SessionView {
  return (principal) => ({
    mode: 'team',
    person: personOf(principal),
    may: Object.keys(ACTIONS).filter((action): action is Action => isAction(action) && authorize(principal, action, null).allowed),
    sign_in: { password: true, oidc: provider === null ? null : { name: provider } },
    needs_first_admin: !hasMembers(),
  });
}

function isAction(name: string): name is Action {
  return Object.hasOwn(ACTIONS, name);
}

function personOf(principal: Principal): Person | null {
  if (principal.kind !== 'member') return null;
  const { id, name, email, role } = principal;
  return { id, name, email, initials: initialsOf(name), role };
}

/** Initials of the first and last word; of one word its first two letters. */
export function initialsOf(name: string): string {
  const words = name.split(/[\s._-]+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
  const [first = name, ...others] = words;
  const last = others.at(-1);
  const letters = last === undefined ? lettersOf(first).slice(0, 2) : [first, last].map((word) => lettersOf(word)[0] ?? '');
  return letters.join('').toUpperCase();
}

/** Counts grapheme clusters. */
function lettersOf(text: string): string[] {
  return Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
}
