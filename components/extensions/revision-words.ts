import type { Revision } from '#lib/contract/extension.ts';

const TRIGGERS: Record<string, string> = {
  start: 'at the start of the server',
  watch: 'by a saved file',
  reload: 'by a reload',
  edit: 'by an edit here',
};

/** The same where it is known whose doing it was. */
const DOINGS: Record<string, string> = { reload: 'by a reload of', edit: 'by an edit of' };

/** What it was tried by first: "by an edit of Ada". */
export function triggerInWords({ trigger, actor }: Pick<Revision, 'trigger' | 'actor'>): string {
  const doing = actor === null ? undefined : DOINGS[trigger];
  return doing === undefined ? (TRIGGERS[trigger] ?? trigger) : `${doing} ${actor}`;
}
