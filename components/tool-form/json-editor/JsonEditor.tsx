'use client';

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { diagnosticCount, setDiagnostics } from '@codemirror/lint';
import { Annotation, Compartment, EditorState, Prec } from '@codemirror/state';
import type { Extension } from '@codemirror/state';
import { drawSelection, EditorView, hoverTooltip, keymap, placeholder } from '@codemirror/view';
import { useEffect, useEffectEvent, useImperativeHandle, useLayoutEffect, useRef } from 'react';
import { editorColours, editorLook, visibleCharacters } from '#components/ui/editor-look.ts';
import type { JsonTextProps } from '../JsonText.tsx';
import { changedPart } from './changed-part.ts';
import { faultsOf } from './json-faults.ts';
import { complete, hoverAt } from './json-assist.ts';
import { dispatchTo, listenForMarked } from './marked-from-outside.ts';

/*
 * A JSON text with what the schema knows of it: names and values are offered, words shown where the mouse rests, faults marked
 * at their place. It takes the place of a plain text area while somebody is at it, and stays. What can go wrong:
 * - a person types on while it is put in place: it begins with the text, the selection and the focus that are there then;
 * - the text is changed from outside (the form, "Format"): only what differs is changed, so that the cursor stays where it is;
 * - the Tab key would be caught: it is not bound, and always leaves.
 */
export interface JsonEditorProps extends JsonTextProps {
  readonly start: { readonly from: number; readonly to: number; readonly isFocused: boolean; readonly top: number; readonly left: number };
}

const fromOutside = Annotation.define<boolean>();
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
  least,
  most,
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
          // The page runs the tool by this key.
          Prec.highest(keymap.of([{ key: 'Mod-Enter', run: () => true }])),
          history(),
          drawSelection(),
          indentOnInput(),
          indentUnit.of('  '),
          bracketMatching(),
          closeBrackets(),
          json(),
          syntaxHighlighting(editorColours),
          editorLook,
          visibleCharacters,
          look,
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
            if (update.docChanged && !update.transactions.some((each) => each.annotation(fromOutside) === true))
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
      // It is another height than what it takes the place of.
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
    if (change !== null) dispatchTo(editor, { changes: change, annotations: fromOutside.of(true) });
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
      style={{ minHeight: height(least), maxHeight: height(most) }}
      className="flex min-w-0 flex-col overflow-hidden rounded border border-control-line hover:border-fg/60 has-aria-invalid:border-failed"
    />
  );
}

const look = EditorView.theme({
  '&': { flex: '1 1 auto', minHeight: '0', backgroundColor: 'var(--subtle)' },
  '&.cm-focused': { outlineOffset: '0' },
  '.cm-scroller': { overflow: 'auto' },
  '.cm-content': { padding: '8px 0' },
  '.cm-line': { padding: '0 12px' },
  '.cm-placeholder': { color: 'var(--muted)' },
  '.cm-completionInfo': { padding: '6px 8px', maxWidth: '20rem' },
  // Where there is no room beside the list it would cover what can be chosen.
  '.cm-completionInfo.cm-completionInfo-left-narrow, .cm-completionInfo.cm-completionInfo-right-narrow': { display: 'none' },
  '.cm-completionDetail': { fontStyle: 'normal', color: 'var(--muted)' },
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--font-mono), monospace' },
});
