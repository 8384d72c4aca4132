/** Whether a `Prefer` header asks for the running call instead of its end. */
export function wantsAsync(prefer: string | null | undefined): boolean {
  return (prefer ?? '')
    .toLowerCase()
    .split(',')
    .some((part) => part.trim() === 'respond-async');
}
