import { HighlightStyle } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** The look of the editor, from the tokens of the application. */
export const editorTheme = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--surface)', fontSize: '13px' },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-1px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': {
    color: 'var(--text-quiet)',
    backgroundColor: 'var(--surface-raised)',
    borderRight: '1px solid var(--border)',
  },
  '.cm-activeLine, .cm-activeLineGutter': {
    backgroundColor: 'color-mix(in srgb, var(--surface-hover), transparent 40%)',
  },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent), transparent 70%)',
  },
  '.cm-tooltip, .cm-panels': {
    color: 'var(--text)',
    backgroundColor: 'var(--surface-raised)',
    border: '1px solid var(--border)',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    color: 'var(--text)',
    backgroundColor: 'var(--surface-selected)',
  },
  '.cm-documentation': { maxWidth: '60ch', padding: '4px 8px', fontFamily: 'var(--font)' },
  '.cm-documentation p + p': { marginTop: '6px' },
  '.cm-completionDetail': { color: 'var(--text-quiet)' },
  '.cm-foldPlaceholder': { color: 'var(--text-quiet)', backgroundColor: 'var(--surface-hover)', border: 'none' },
});

/** The colours of the config language. They have enough contrast in light and dark. */
export const highlightStyle = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent-text)' },
  { tag: tags.string, color: 'var(--succeeded)' },
  { tag: [tags.number, tags.bool], color: 'var(--running)' },
  { tag: tags.comment, color: 'var(--text-quiet)', fontStyle: 'italic' },
  { tag: [tags.keyword, tags.special(tags.variableName)], color: 'var(--warning)' },
]);
