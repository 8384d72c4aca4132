import { useIsShared } from '#lib/client/instance-queries.ts';
import { useSession } from '#lib/client/SessionProvider.tsx';
import { INSTANCES_PLACE, SETTINGS_PLACES, TEAM_PLACES } from './navigation.ts';
import type { Place } from './navigation.ts';

/** Instances, settings and team pages, by permission. */
export function useFurtherPlaces(): readonly Place[] {
  const { view } = useSession();
  const settings = useIsShared() ? [INSTANCES_PLACE, ...SETTINGS_PLACES] : SETTINGS_PLACES;
  if (view.mode === 'local') return settings;
  return [...settings, ...TEAM_PLACES].filter(({ action }) => view.may.includes(action));
}
