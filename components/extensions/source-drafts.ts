import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { textDrafts, useTextDraft } from '#components/ui/text-drafts.ts';

/** Unsaved text of a file, and the hash of the file it was made from: what is on disk may be another one by now. */
export interface SourceDraft {
  readonly hash: string;
  readonly text: string;
}

const PREFIX = 'source:';
const STORED = /^([0-9a-f]{64})\n/;

export function readSourceDraft(stored: string): SourceDraft | null {
  const hash = STORED.exec(stored)?.[1];
  return hash === undefined ? null : { hash, text: stored.slice(hash.length + 1) };
}

export function writeSourceDraft(path: string, draft: SourceDraft | null): void {
  textDrafts.write(PREFIX + path, draft === null ? null : `${draft.hash}\n${draft.text}`);
}

/** After a save: what was typed meanwhile is a draft of what was saved. */
export function settleSourceDraft(path: string, saved: SourceDraft): void {
  const draft = readSourceDraft(textDrafts.read(PREFIX + path) ?? '');
  if (draft !== null) writeSourceDraft(path, draft.text === saved.text ? null : { hash: saved.hash, text: draft.text });
}

/** One draft per file, whichever page, tab of a page or file is shown. */
export function useSourceDraft(path: string): SourceDraft | null {
  const [stored] = useTextDraft(PREFIX + path);
  return useMemo(() => readSourceDraft(stored), [stored]);
}

/** Paths of the files with unsaved text. While there is one, the browser asks before the tab is closed. */
export function useUnsavedFiles(): ReadonlySet<string> {
  const listed = useSyncExternalStore(
    textDrafts.subscribe,
    () => textDrafts.list(PREFIX),
    () => '',
  );
  useEffect(askBeforeUnload, []);
  return useMemo(() => new Set(listed.split('\n').map((key) => key.slice(PREFIX.length))), [listed]);
}

let asks = false;

/** Goes on when the editor is left: the drafts are still unsaved then. */
function askBeforeUnload(): void {
  if (asks) return;
  asks = true;
  window.addEventListener('beforeunload', (event) => {
    if (textDrafts.list(PREFIX) !== '') event.preventDefault();
  });
}
