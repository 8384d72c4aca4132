/**
 * For the `ref` of a form: what is focused stays in sight when something above it grows, as when the field that was just left
 * says what is wrong with it. What somebody has scrolled out of sight stays there.
 */
export function keepFocusClear(form: HTMLElement | null): (() => void) | undefined {
  if (form === null) return undefined;
  const observer = new ResizeObserver(() => {
    const { activeElement: focused } = document;
    if (focused === null || focused === form || !form.contains(focused)) return;
    const { top, bottom, height } = focused.getBoundingClientRect();
    const covered = Number.parseFloat(getComputedStyle(document.documentElement).scrollPaddingBottom) || 0;
    const foot = window.innerHeight - covered;
    if (top < window.innerHeight && bottom > foot && height < foot / 2) focused.scrollIntoView({ block: 'nearest' });
  });
  observer.observe(form);
  return () => observer.disconnect();
}
