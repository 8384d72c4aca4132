import { closeBrackets } from '@codemirror/autocomplete';
import { history } from '@codemirror/commands';
import { HighlightStyle, bracketMatching, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView, drawSelection, highlightSpecialChars } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { INVISIBLE, visibleText } from './visible-text.ts';

/** Editor theme for both color schemes, loaded with an editor. */
const editorHighlighting = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: 'var(--token-keyword)' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: 'var(--token-string)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--token-number)' },
  {
    tag: [tags.function(tags.variableName), tags.function(tags.propertyName), tags.definition(tags.function(tags.variableName))],
    color: 'var(--token-function)',
  },
  { tag: [tags.comment], color: 'var(--token-comment)', fontStyle: 'italic' },
]);

const editorTheme = EditorView.theme({
  '&': { height: '100%', fontSize: '13px', color: 'var(--fg)', backgroundColor: 'var(--panel)' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--font-mono), monospace', lineHeight: '20px' },
  '.cm-content': { caretColor: 'var(--fg)' },
  '.cm-cursor': { borderLeftColor: 'var(--fg)' },
  '.cm-gutters': { backgroundColor: 'var(--panel)', color: 'var(--muted)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in oklab, var(--hover) 60%, transparent)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--accent-soft)',
  },
  '& .cm-specialChar': { color: 'var(--degraded)' },
  '.cm-panels, .cm-tooltip': { backgroundColor: 'var(--raised)', color: 'var(--fg)', borderColor: 'var(--line)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent-soft)', color: 'var(--fg)' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--failed)' },
  '.cm-searchMatch': { backgroundColor: 'var(--degraded-soft)' },
});

/** Marks invisible characters, as elsewhere on the page; the edited text is unchanged. */
const visibleCharacters = highlightSpecialChars({
  specialChars: INVISIBLE,
  render(code) {
    const shown = document.createElement('span');
    shown.className = 'cm-specialChar';
    shown.textContent = visibleText(String.fromCodePoint(code));
    return shown;
  },
});

export const editorBasics: Extension = [
  history(),
  drawSelection(),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  syntaxHighlighting(editorHighlighting),
  editorTheme,
  visibleCharacters,
];
