'use client';

import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  autocompletion,
  closeBracketsKeymap,
  completionKeymap,
  startCompletion,
} from '@codemirror/autocomplete';
import { defaultKeymap, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { indentUnit } from '@codemirror/language';
import { diagnosticCount, setDiagnostics } from '@codemirror/lint';
import { Annotation, Compartment, EditorState, type Extension, Prec, type TransactionSpec } from '@codemirror/state';
import { EditorView, type Tooltip, hoverTooltip, keymap, placeholder } from '@codemirror/view';
import { type Node, findNodeAtLocation, parseTree } from 'jsonc-parser';
import { type Ref, useEffect, useEffectEvent, useImperativeHandle, useLayoutEffect, useRef } from 'react';
import { editorBasics } from '#components/ui/editor-theme.ts';
import { visibleText } from '#components/ui/visible-text.ts';
import type { FormSchema } from './field-plan.ts';
import { type IssueMap, partsOf } from './issues.ts';
import { type JsonCompletion, opensAutomatically, completionsAt, descriptionAt } from './json-completions.ts';
import type { JsonProblem } from './json-text.ts';

/** The smallest replaced range, so that the selection around it stays; null if equal. */
export function changedPart(before: string, after: string): { readonly from: number; readonly to: number; readonly insert: string } | null {
  if (before === after) return null;
  const min = Math.min(before.length, after.length);
  let from = 0;
  while (from < min && before[from] === after[from]) from += 1;
  let end = 0;
  while (end < min - from && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) };
}

export interface JsonFault {
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

/** Syntax error, else validation errors; a missing property is reported at its object. */
export function faultsOf(text: string, problem: JsonProblem | null, issues: IssueMap): readonly JsonFault[] {
  if (problem !== null) return [{ from: problem.offset, to: problem.offset + 1, message: problem.message }];
  const tree = parseTree(text);
  if (tree === undefined) return [];
  return [...issues].flatMap(([pointer, messages]) => {
    const { node, isFound } = nodeFor(tree, partsOf(pointer));
    const to = isFound && node.type !== 'object' && node.type !== 'array' ? node.offset + node.length : node.offset + 1;
    return messages.map((message) => ({ from: node.offset, to, message }));
  });
}

function nodeFor(tree: Node, parts: readonly string[]): { node: Node; isFound: boolean } {
  let node = tree;
  for (const part of parts) {
    const next = findNodeAtLocation(node, [node.type === 'array' ? Number(part) : part]);
    if (next === undefined) return { node, isFound: false };
    node = next;
  }
  return { node, isFound: true };
}

export function complete(context: CompletionContext, form: FormSchema): CompletionResult | null {
  const text = context.state.doc.toString();
  const found = completionsAt(form, text, context.pos);
  if (!context.explicit && !opensAutomatically(text, context.pos, found)) return null;
  return {
    from: found.from,
    to: context.pos,
    filter: false,
    options: found.completions.map((completion) => toCompletion(completion, found.to)),
  };
}

function toCompletion(completion: JsonCompletion, to: number): Completion {
  return {
    label: visibleText(completion.label),
    ...(completion.detail === '' ? {} : { detail: visibleText(completion.detail) }),
    ...(completion.description === null ? {} : { info: visibleText(completion.description) }),
    apply(view, _completion, from) {
      const end = Math.min(Math.max(to, view.state.selection.main.head), view.state.doc.length);
      view.dispatch({
        changes: { from, to: end, insert: completion.insert },
        selection: { anchor: from + completion.caret },
        scrollIntoView: true,
        userEvent: 'input.complete',
      });
      if (completion.opensNext) startCompletion(view);
    },
  };
}

/** As plain text: schemas are written by others. */
export function hoverAt(view: EditorView, pos: number, form: FormSchema): Tooltip | null {
  const words = descriptionAt(form, view.state.doc.toString(), pos);
  if (words === null) return null;
  return {
    pos: words.from,
    end: words.to,
    above: true,
    create() {
      const dom = document.createElement('div');
      dom.className = 'foreign max-w-80 p-2 text-sm';
      for (const [index, line] of [words.title, ...words.lines].entries()) {
        const row = dom.appendChild(document.createElement('p'));
        row.textContent = visibleText(line);
        if (index === 0) row.className = 'font-medium';
      }
      return { dom };
    },
  };
}

/**
 * Form fillers focus a field and then select its text. CodeMirror takes that for a focus artifact and restores its own
 * selection, so the DOM selection is read before each change.
 */
function syncSelection(view: EditorView): void {
  const marked = view.dom.ownerDocument.getSelection();
  if (marked === null || marked.isCollapsed || marked.anchorNode !== view.contentDOM || marked.focusNode !== view.contentDOM) return;
  view.dispatch({ selection: { anchor: 0, head: view.state.doc.length } });
}

export function listenForMarked(view: EditorView): () => void {
  const { ownerDocument } = view.dom;
  const listen = () => syncSelection(view);
  ownerDocument.addEventListener('selectionchange', listen, { capture: true });
  return () => ownerDocument.removeEventListener('selectionchange', listen, { capture: true });
}

export function dispatchTo(view: EditorView | null, change: TransactionSpec): void {
  if (view === null) return;
  syncSelection(view);
  view.dispatch(change);
}

/*
 * A JSON editor with completions, hover texts and error markers from the schema. It replaces a text area on first use. What can
 * go wrong:
 * - someone types during the replacement: it starts with the current text, selection and focus;
 * - the text changes from outside (the form, "Format"): only the difference is applied, so the cursor stays;
 * - it would catch the Tab key: Tab is not bound and always leaves the editor.
 */
export interface JsonTextHandle {
  select(from: number, to: number): void;
}

export interface JsonTextProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly form: FormSchema;
  readonly problem: JsonProblem | null;
  readonly issues: IssueMap;
  readonly attributes: Readonly<Record<string, string>>;
  readonly disabled: boolean;
  readonly readOnly: boolean;
  readonly min: number;
  readonly max: number;
  readonly hint?: string;
  readonly onLeave?: () => void;
  /** True if it handled the paste. */
  readonly onPaste?: (pasted: string, from: number, to: number) => boolean;
  readonly handle?: Ref<JsonTextHandle>;
}

export interface JsonEditorProps extends JsonTextProps {
  readonly start: { readonly from: number; readonly to: number; readonly isFocused: boolean; readonly top: number; readonly left: number };
}

const externalChange = Annotation.define<boolean>();
const LINE_PX = 20;
const PADDING_PX = 16;

export function JsonEditor({
  start,
  text,
  onText,
  form,
  problem,
  issues,
  attributes,
  disabled,
  readOnly,
  min,
  max,
  ...rest
}: JsonEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const compartments = useRef({ attributes: new Compartment(), writable: new Compartment(), hint: new Compartment() });
  const first = useRef({ start, text });
  const changed = useEffectEvent(onText);
  const left = useEffectEvent(() => rest.onLeave?.());
  const pasted = useEffectEvent((clip: string, from: number, to: number) => rest.onPaste?.(clip, from, to) ?? false);
  const currentForm = useEffectEvent(() => form);
  const named = useEffectEvent(() => attributes);

  useLayoutEffect(() => {
    const parent = place.current;
    if (parent === null) return;
    const { attributes: own, writable, hint } = compartments.current;
    const { start: began, text: doc } = first.current;
    const editor = new EditorView({
      parent,
      state: EditorState.create({
        doc,
        selection: { anchor: Math.min(began.from, doc.length), head: Math.min(began.to, doc.length) },
        extensions: [
          // Handled by the page: runs the tool.
          Prec.highest(keymap.of([{ key: 'Mod-Enter', run: () => true }])),
          editorBasics,
          indentUnit.of('  '),
          json(),
          jsonEditorTheme,
          autocompletion({ override: [(context) => complete(context, currentForm())], icons: false, interactionDelay: 0 }),
          hoverTooltip((each, pos) => hoverAt(each, pos, currentForm())),
          EditorView.contentAttributes.of({ tabindex: '0', spellcheck: 'false', autocapitalize: 'off', autocorrect: 'off' }),
          own.of([]),
          writable.of([]),
          hint.of([]),
          keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...defaultKeymap]),
          EditorView.domEventHandlers({
            blur: () => left(),
            paste(event, each) {
              const { from, to } = each.state.selection.main;
              if (!pasted(event.clipboardData?.getData('text/plain') ?? '', from, to)) return false;
              event.preventDefault();
              return true;
            },
          }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged && !update.transactions.some((each) => each.annotation(externalChange) === true))
              changed(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    editor.scrollDOM.scrollTop = began.top;
    editor.scrollDOM.scrollLeft = began.left;
    if (began.isFocused) {
      editor.focus();
      // Its height differs from the text area it replaces.
      parent.scrollIntoView({ block: 'nearest' });
    }
    const unlisten = listenForMarked(editor);
    return () => {
      unlisten();
      view.current = null;
      editor.destroy();
    };
  }, []);

  useLayoutEffect(() => {
    const editor = view.current;
    if (editor === null) return;
    const change = changedPart(editor.state.doc.toString(), text);
    if (change !== null) dispatchTo(editor, { changes: change, annotations: externalChange.of(true) });
  }, [text]);

  const attributesText = JSON.stringify(attributes);
  useLayoutEffect(() => {
    const own = named();
    dispatchTo(view.current, { effects: compartments.current.attributes.reconfigure(EditorView.contentAttributes.of({ ...own })) });
    const name = document.getElementById(own['aria-labelledby'] ?? '');
    const focus = () => view.current?.focus();
    name?.addEventListener('click', focus);
    return () => name?.removeEventListener('click', focus);
  }, [attributesText]);

  useLayoutEffect(() => {
    const writable: Extension = [
      EditorState.readOnly.of(disabled || readOnly),
      EditorView.editable.of(!disabled),
      EditorView.contentAttributes.of({ 'aria-readonly': String(disabled || readOnly) }),
    ];
    dispatchTo(view.current, { effects: compartments.current.writable.reconfigure(writable) });
  }, [disabled, readOnly]);

  const { hint } = rest;
  useLayoutEffect(() => {
    dispatchTo(view.current, { effects: compartments.current.hint.reconfigure(hint === undefined ? [] : placeholder(hint)) });
  }, [hint]);

  useEffect(() => {
    const editor = view.current;
    if (editor === null) return;
    const end = editor.state.doc.length;
    const marks = faultsOf(text, problem, issues).map(({ from, to, message }) => ({
      from: Math.min(from, end),
      to: Math.min(to, end),
      severity: 'error' as const,
      message,
    }));
    if (marks.length > 0 || diagnosticCount(editor.state) > 0) dispatchTo(editor, setDiagnostics(editor.state, marks));
  }, [text, problem, issues]);

  useImperativeHandle(rest.handle, () => ({
    select(from, to) {
      const editor = view.current;
      if (editor === null) return;
      const end = editor.state.doc.length;
      editor.dispatch({ selection: { anchor: Math.min(from, end), head: Math.min(to, end) }, scrollIntoView: true });
      editor.focus();
    },
  }));

  const height = (lines: number) => `${lines * LINE_PX + PADDING_PX}px`;
  return (
    <div
      ref={place}
      data-editor
      style={{ minHeight: height(min), maxHeight: height(max) }}
      className="flex min-w-0 flex-col overflow-hidden rounded border border-control-line hover:border-fg/60 has-aria-invalid:border-failed"
    />
  );
}

const jsonEditorTheme = EditorView.theme({
  '&': { flex: '1 1 auto', minHeight: '0', backgroundColor: 'var(--subtle)' },
  '&.cm-focused': { outlineOffset: '0' },
  '.cm-scroller': { overflow: 'auto' },
  '.cm-content': { padding: '8px 0' },
  '.cm-line': { padding: '0 12px' },
  '.cm-placeholder': { color: 'var(--muted)' },
  '.cm-completionInfo': { padding: '6px 8px', maxWidth: '20rem' },
  // Otherwise it would cover the options in a narrow window.
  '.cm-completionInfo.cm-completionInfo-left-narrow, .cm-completionInfo.cm-completionInfo-right-narrow': { display: 'none' },
  '.cm-completionDetail': { fontStyle: 'normal', color: 'var(--muted)' },
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--font-mono), monospace' },
});
