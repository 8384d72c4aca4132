import { useSession } from '#lib/client/SessionProvider.tsx';
import { SETTINGS_PLACES, TEAM_PLACES } from './navigation.ts';
import type { Place } from './navigation.ts';

/** Settings and team pages, by permission. */
export function useFurtherPlaces(): readonly Place[] {
  const { view } = useSession();
  if (view.mode === 'local') return SETTINGS_PLACES;
  return [...SETTINGS_PLACES, ...TEAM_PLACES].filter(({ action }) => view.may.includes(action));
}
