import { cookies } from 'next/headers';
import { isTheme, THEME_COOKIE } from '#components/shell/theme.ts';
import type { Theme } from '#components/shell/theme.ts';

export async function readTheme(): Promise<Theme> {
  const chosen = (await cookies()).get(THEME_COOKIE)?.value;
  return isTheme(chosen) ? chosen : 'system';
}
