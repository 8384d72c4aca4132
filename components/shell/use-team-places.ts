import { useSession } from '#lib/client/SessionProvider.tsx';
import { TEAM_PLACES } from './navigation.ts';
import type { Place } from './navigation.ts';

/** The pages about the team that who is signed in may see; none without accounts. */
export function useTeamPlaces(): readonly Place[] {
  const { view } = useSession();
  return view.mode === 'team' ? TEAM_PLACES.filter(({ action }) => view.may.includes(action)) : [];
}
