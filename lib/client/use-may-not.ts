import { ACTIONS } from '#lib/contract/actions.ts';
import type { Action } from '#lib/contract/actions.ts';
import { useSession } from './SessionProvider.tsx';

/** Why who is signed in may not do this, in a line that takes the place of what would do it; null where he may. */
export function useMayNot(action: Action): string | null {
  const { view } = useSession();
  if (view.mode === 'local' || view.person === null || view.may.includes(action)) return null;
  return `${ACTIONS[action]} is not part of your role (${view.person.role}). An admin can change that.`;
}
