'use client';

import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  autocompletion,
  closeBracketsKeymap,
  completionKeymap,
  snippetCompletion,
} from '@codemirror/autocomplete';
import { defaultKeymap, historyKeymap, indentWithTab } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { json } from '@codemirror/lang-json';
import { python } from '@codemirror/lang-python';
import { indentUnit } from '@codemirror/language';
import { lintGutter, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState, type Extension, StateEffect, StateField, type Transaction } from '@codemirror/state';
import { EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useEffectEvent, useRef } from 'react';
import { editorBasics } from '#components/ui/editor-theme.ts';

const TYPESCRIPT: readonly Completion[] = [
  snippetCompletion(
    `export const TOOL = {\n  label: '\${Label}',\n  name: '\${verb_noun}',\n  description: '\${What it does and when to use it.}',\n  parameters: {\n    \${name}: { type: 'string', required: true, description: '\${What it is.}' },\n  },\n  execute({ \${name} }, ctx) {\n    return \${name};\n  },\n};`,
    { label: 'TOOL', detail: 'one tool', type: 'constant' },
  ),
  snippetCompletion(
    `export const TOOLS = [\n  {\n    label: '\${Label}',\n    name: '\${verb_noun}',\n    description: '\${What it does and when to use it.}',\n    parameters: {},\n    execute(args, ctx) {\n      return \${null};\n    },\n  },\n];`,
    { label: 'TOOLS', detail: 'a list of tools', type: 'constant' },
  ),
  snippetCompletion(`export function status() {\n  return { \${state}: \${true} };\n}`, {
    label: 'status',
    detail: 'shown live on the extension’s page',
    type: 'function',
  }),
  snippetCompletion(`export const INSTRUCTIONS = '\${How an agent should use this extension.}';`, {
    label: 'INSTRUCTIONS',
    detail: 'for agents',
    type: 'constant',
  }),
  snippetCompletion(`import { ToolError } from 'switchboard';`, {
    label: 'ToolError',
    detail: 'an error with a kind and data',
    type: 'class',
  }),
  snippetCompletion(`import type { ToolContext } from 'switchboard';`, {
    label: 'ToolContext',
    detail: 'signal, log, progress',
    type: 'type',
  }),
  { label: 'ctx.log.info', detail: 'a line of the call’s log', type: 'method' },
  { label: 'ctx.progress', detail: '(done, total?, message?)', type: 'method' },
  { label: 'ctx.signal', detail: 'aborted when the call is cancelled', type: 'property' },
  { label: 'ctx.workspace_root', type: 'property' },
];

const PYTHON: readonly Completion[] = [
  snippetCompletion(
    `TOOL = {\n    "label": "\${Label}",\n    "name": "\${verb_noun}",\n    "description": "\${What it does and when to use it.}",\n    "parameters": {\n        "\${name}": {"type": "string", "required": True, "description": "\${What it is.}"},\n    },\n    "execute": \${function},\n}`,
    { label: 'TOOL', detail: 'one tool', type: 'constant' },
  ),
  snippetCompletion(`def status():\n    return {"\${state}": \${True}}`, {
    label: 'status',
    detail: 'shown live on the extension’s page',
    type: 'function',
  }),
  snippetCompletion(`INSTRUCTIONS = "\${How an agent should use this extension.}"`, {
    label: 'INSTRUCTIONS',
    detail: 'for agents',
    type: 'constant',
  }),
  snippetCompletion(`from switchboard import ToolContext, ToolError`, {
    label: 'ToolError',
    detail: 'an error with a kind and data',
    type: 'class',
  }),
  { label: 'ctx.log.info', detail: 'a line of the call’s log', type: 'method' },
  { label: 'ctx.progress', detail: '(done, total=None, message=None)', type: 'method' },
];

const WORD = /[\w.]+/;

export function completeContract(file: string): (context: CompletionContext) => CompletionResult | null {
  const options = file.endsWith('.py') ? PYTHON : /\.(?:[mc]?[tj]s)$/.test(file) ? TYPESCRIPT : [];
  return (context) => {
    const word = context.matchBefore(WORD);
    if (options.length === 0 || (word === null && !context.explicit)) return null;
    return { from: word?.from ?? context.pos, options: [...options], validFor: /^[\w.]*$/ };
  };
}

/** CodeMirror normalizes line ends and would show a byte order mark. Both are stored beside the text and restored on save. */
export interface LineEnds {
  readonly mark: string;
  readonly usual: string;
  /** Per line except the last; null if all are the usual one. */
  readonly each: readonly string[] | null;
}

const LINE_END = /\r\n|\r|\n/g;
const MARK = '\uFEFF';

export function readLineEnds(text: string): LineEnds {
  const found = text.match(LINE_END) ?? [];
  const counts = Map.groupBy(found, (end) => end);
  const [usual = '\n'] = [...counts].toSorted(([, a], [, b]) => b.length - a.length)[0] ?? [];
  return { mark: text.startsWith(MARK) ? MARK : '', usual, each: counts.size > 1 ? found : null };
}

export function withoutLineEnds(text: string): string {
  return text.slice(readLineEnds(text).mark.length).replaceAll(LINE_END, '\n');
}

export const replaceLineEnds = StateEffect.define<string>();

export const lineEnds = StateField.define<LineEnds>({
  create: () => readLineEnds(''),
  update(ends, transaction) {
    const replaced = transaction.effects.find((effect) => effect.is(replaceLineEnds));
    if (replaced !== undefined) return readLineEnds(replaced.value);
    return ends.each === null || !transaction.docChanged ? ends : { ...ends, each: moved(ends.each, ends.usual, transaction) };
  },
});

export function fileText(state: EditorState): string {
  const { mark, usual, each } = state.field(lineEnds);
  const text = state.doc.toString();
  if (each === null) return mark + (usual === '\n' ? text : text.replaceAll('\n', usual));
  let whole = mark;
  for (const [at, line] of text.split('\n').entries()) {
    const end = at === 0 ? '' : (each[at - 1] ?? usual);
    // "\r" and "\n" would merge into one line end.
    whole += (end === '\n' && whole.endsWith('\r') ? '\r' : end) + line;
  }
  return whole;
}

function moved(each: readonly string[], usual: string, { changes, startState }: Transaction): readonly string[] {
  const next: string[] = [];
  let from = 0;
  changes.iterChanges((fromA, toA, _fromB, _toB, inserted) => {
    next.push(...each.slice(from, startState.doc.lineAt(fromA).number - 1), ...Array<string>(inserted.lines - 1).fill(usual));
    from = startState.doc.lineAt(toA).number - 1;
  });
  return [...next, ...each.slice(from)];
}

export interface EditorFault {
  readonly line: number;
  readonly column: number | null;
  readonly message: string;
}

export interface CodeEditorProps {
  text: string;
  file: string;
  readOnly: boolean;
  fault: EditorFault | null;
  onChange: (text: string) => void;
  onSave: () => void;
}

/** Loaded lazily: about half a megabyte. */
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
          editorBasics,
          lineEnds,
          autocompletion({ override: [completeContract(file)] }),
          highlightActiveLine(),
          highlightSelectionMatches(),
          search({ top: true }),
          indentUnit.of(file.endsWith('.py') ? '    ' : '  '),
          languageFor(file),
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
            // Escape, then Tab, leaves the editor.
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
