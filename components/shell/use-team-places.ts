import { useSession } from '#lib/client/SessionProvider.tsx';
import { TEAM_PLACES } from './navigation.ts';
import type { Place } from './navigation.ts';

/** Team pages by permission; none without accounts. */
export function useTeamPlaces(): readonly Place[] {
  const { view } = useSession();
  return view.mode === 'team' ? TEAM_PLACES.filter(({ action }) => view.may.includes(action)) : [];
}
