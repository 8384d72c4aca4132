import type { Hunk } from '#lib/contract/failure-group.ts';

export interface NumberedLine {
  readonly key: string;
  readonly kind: Hunk['lines'][number]['kind'];
  readonly text: string;
  /** Its number before and after the change; null where it does not stand. */
  readonly before: number | null;
  readonly after: number | null;
}

export function numberLines(hunk: Hunk): NumberedLine[] {
  let before = hunk.old_start;
  let after = hunk.new_start;
  return hunk.lines.map(({ kind, text }) => {
    const line = { kind, text, before: kind === 'added' ? null : before, after: kind === 'removed' ? null : after };
    if (kind !== 'added') before += 1;
    if (kind !== 'removed') after += 1;
    return { ...line, key: `${line.before ?? ''}-${line.after ?? ''}` };
  });
}
