import { isWithin } from './pointer.ts';

/** The field that shows what a pointer names, or what holds it; null when the form has none. */
export function fieldFor(form: HTMLElement, pointer: string): HTMLElement | null {
  let best: HTMLElement | null = null;
  for (const field of form.querySelectorAll<HTMLElement>('[data-path]')) {
    const path = field.dataset['path'] ?? '';
    if (isWithin(pointer, path) && (best === null || path.length > (best.dataset['path'] ?? '').length)) best = field;
  }
  return best;
}

/** Of several pointers the field that stands first on the page. */
export function firstFieldOf(form: HTMLElement, pointers: readonly string[]): HTMLElement | null {
  const fields = new Set(pointers.map((pointer) => fieldFor(form, pointer)).filter((field) => field !== null));
  return [...form.querySelectorAll<HTMLElement>('[data-path]')].find((field) => fields.has(field)) ?? null;
}

export function focusField(field: HTMLElement): void {
  const chosen = field.matches('[role=radiogroup], [role=group]')
    ? (field.querySelector<HTMLElement>('input:checked') ?? field.querySelector<HTMLElement>('input'))
    : null;
  (chosen ?? field).focus({ preventScroll: true });
  field.scrollIntoView({ block: 'center' });
}
