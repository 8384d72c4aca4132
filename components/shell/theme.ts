import { writeCookie } from '#components/ui/write-cookie.ts';

/*
 * The theme is a cookie, so that the server renders it and no script runs before the first paint. "system" sets neither cookie
 * nor attribute: the style sheet's color-scheme follows the system.
 */
export const THEME_COOKIE = 'switchboard_theme';
export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export function isTheme(value: unknown): value is Theme {
  return THEMES.some((theme) => theme === value);
}

export function shownTheme(): Theme {
  const shown = document.documentElement.dataset['theme'];
  return isTheme(shown) ? shown : 'system';
}

export function applyTheme(theme: Theme): void {
  const root = document.documentElement;
  if (theme === 'system') delete root.dataset['theme'];
  else root.dataset['theme'] = theme;
  writeCookie(THEME_COOKIE, theme === 'system' ? null : theme);
}
