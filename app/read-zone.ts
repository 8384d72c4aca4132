import { cookies } from 'next/headers';
import { isZone, ZONE_COOKIE } from '#components/ui/time-zone.ts';

/** Null for UTC. */
export async function readZone(): Promise<string | null> {
  const chosen = (await cookies()).get(ZONE_COOKIE)?.value;
  return isZone(chosen) ? chosen : null;
}
