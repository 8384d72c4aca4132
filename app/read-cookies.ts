import { cookies } from 'next/headers';
import { FORM_WIDTH_COOKIE, parseFormWidth } from '#components/playground/form-width.ts';
import { isTheme, THEME_COOKIE, type Theme } from '#components/shell/theme.ts';
import { isZone, ZONE_COOKIE } from '#components/ui/times.ts';

/** Percent of the width of the playground. */
export async function readFormWidth(): Promise<number> {
  return parseFormWidth((await cookies()).get(FORM_WIDTH_COOKIE)?.value);
}

export async function readTheme(): Promise<Theme> {
  const chosen = (await cookies()).get(THEME_COOKIE)?.value;
  return isTheme(chosen) ? chosen : 'system';
}

/** Null for UTC. */
export async function readZone(): Promise<string | null> {
  const chosen = (await cookies()).get(ZONE_COOKIE)?.value;
  return isZone(chosen) ? chosen : null;
}
