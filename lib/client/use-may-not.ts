import { ACTIONS } from '#lib/contract/actions.ts';
import type { Action } from '#lib/contract/actions.ts';
import { useSession } from './SessionProvider.tsx';

/** Why the person lacks a permission, in a line that replaces the action; null with the permission. */
export function useMayNot(action: Action): string | null {
  const { view } = useSession();
  if (view.mode === 'local' || view.person === null || view.may.includes(action)) return null;
  return `${ACTIONS[action]} is not part of your role (${view.person.role}). An admin can change that.`;
}
