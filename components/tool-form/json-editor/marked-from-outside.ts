import type { TransactionSpec } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';

/**
 * Programs that fill in fields focus one and then mark all that is in it. An editor takes that for an accident of the focus, and
 * puts its own selection back at its next change; so it is asked before each.
 */
function takeMarked(view: EditorView): void {
  const marked = view.dom.ownerDocument.getSelection();
  if (marked === null || marked.isCollapsed || marked.anchorNode !== view.contentDOM || marked.focusNode !== view.contentDOM) return;
  view.dispatch({ selection: { anchor: 0, head: view.state.doc.length } });
}

export function listenForMarked(view: EditorView): () => void {
  const { ownerDocument } = view.dom;
  const listen = () => takeMarked(view);
  ownerDocument.addEventListener('selectionchange', listen, { capture: true });
  return () => ownerDocument.removeEventListener('selectionchange', listen, { capture: true });
}

/** Changes an editor from outside; null: there is none yet. */
export function dispatchTo(view: EditorView | null, change: TransactionSpec): void {
  if (view === null) return;
  takeMarked(view);
  view.dispatch(change);
}
