'use client';

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { json } from '@codemirror/lang-json';
import { python } from '@codemirror/lang-python';
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState } from '@codemirror/state';
import type { Extension } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useEffectEvent, useRef } from 'react';
import { editorColours, editorLook, visibleCharacters } from '#components/ui/editor-look.ts';
import { completeContract } from './contract-completions.ts';
import { fileText, lineEnds, replaceLineEnds, withoutLineEnds } from './line-ends.ts';

/** A fault at a line, both from 1. */
export interface EditorFault {
  readonly line: number;
  readonly column: number | null;
  readonly message: string;
}

export interface CodeEditorProps {
  /** Shown at first, and again whenever it becomes another one: what people typed since is then gone. */
  text: string;
  file: string;
  readOnly: boolean;
  fault: EditorFault | null;
  onChange: (text: string) => void;
  onSave: () => void;
}

/** A text editor. Loaded only where somebody opens a file: it is half a megabyte of code. */
export function CodeEditor({ text, file, readOnly, fault, onChange, onSave }: CodeEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const writable = useRef(new Compartment());
  const changed = useEffectEvent(onChange);
  const save = useEffectEvent(onSave);

  useEffect(() => {
    const parent = place.current;
    if (parent === null) return;
    const editor = new EditorView({
      parent,
      state: EditorState.create({
        doc: '',
        extensions: [
          lineNumbers(),
          lintGutter(),
          history(),
          lineEnds,
          drawSelection(),
          indentOnInput(),
          bracketMatching(),
          closeBrackets(),
          autocompletion({ override: [completeContract(file)] }),
          highlightActiveLine(),
          highlightSelectionMatches(),
          search({ top: true }),
          indentUnit.of(file.endsWith('.py') ? '    ' : '  '),
          languageFor(file),
          syntaxHighlighting(editorColours),
          editorLook,
          visibleCharacters,
          EditorView.contentAttributes.of({ 'aria-label': `Source of ${file}`, tabindex: '0', spellcheck: 'false', autocapitalize: 'off' }),
          writable.current.of([]),
          keymap.of([
            {
              key: 'Mod-s',
              preventDefault: true,
              run: () => {
                save();
                return true;
              },
            },
            ...closeBracketsKeymap,
            ...completionKeymap,
            ...searchKeymap,
            ...historyKeymap,
            ...defaultKeymap,
            // Escape, then Tab, leaves the editor by key.
            indentWithTab,
          ]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) changed(fileText(update.state));
          }),
        ],
      }),
    });
    view.current = editor;
    return () => {
      view.current = null;
      editor.destroy();
    };
  }, [file]);

  useEffect(() => {
    const editor = view.current;
    if (editor === null || fileText(editor.state) === text) return;
    editor.dispatch({
      changes: { from: 0, to: editor.state.doc.length, insert: withoutLineEnds(text) },
      effects: replaceLineEnds.of(text),
    });
  }, [text, file]);

  useEffect(() => {
    const allowed: Extension = readOnly ? [EditorState.readOnly.of(true), EditorView.editable.of(false)] : [];
    view.current?.dispatch({ effects: writable.current.reconfigure(allowed) });
  }, [readOnly, file]);

  useEffect(() => {
    const editor = view.current;
    if (editor === null) return;
    const isInside = fault !== null && fault.line <= editor.state.doc.lines;
    if (!isInside) {
      editor.dispatch(setDiagnostics(editor.state, []));
      return;
    }
    const line = editor.state.doc.line(fault.line);
    const from = Math.min(line.to, line.from + Math.max(0, (fault.column ?? 1) - 1));
    editor.dispatch(setDiagnostics(editor.state, [{ from, to: Math.max(from, line.to), severity: 'error', message: fault.message }]), {
      effects: EditorView.scrollIntoView(from, { y: 'center' }),
    });
  }, [fault, text, file]);

  return <div ref={place} className="min-h-0 flex-1 overflow-hidden" />;
}

function languageFor(file: string): Extension {
  if (/\.(?:[mc]?ts|tsx)$/.test(file)) return javascript({ typescript: true });
  if (/\.(?:[mc]?js|jsx)$/.test(file)) return javascript();
  if (file.endsWith('.py')) return python();
  return file.endsWith('.json') ? json() : [];
}
