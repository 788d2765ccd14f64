import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import type { Action } from '@codemirror/lint';
import type { Extension, Text } from '@codemirror/state';
import { type EditorView, hoverTooltip } from '@codemirror/view';
import type { Problem } from '../api/types.ts';
import { type ConfigCompletion, type ConfigCompletions, completionsAt } from '../config/config-completions.ts';
import { type ConfigFix, fixesOf } from '../config/config-fixes.ts';
import { hoverAt } from '../config/config-hover.ts';
import type { ConfigKnowledge } from '../config/config-knowledge.ts';
import { ParsedConfig } from '../config/parsed-config.ts';

const TYPES: Readonly<Record<ConfigCompletion['kind'], string>> = {
  class: 'class',
  parameter: 'property',
  block: 'namespace',
  value: 'constant',
  field: 'variable',
  pipeline: 'function',
};

const parsed = new WeakMap<Text, ParsedConfig>();

/** Returns the parsed config of a document. It is parsed once. */
export function parsedConfig(document: Text): ParsedConfig {
  const known = parsed.get(document);
  if (known !== undefined) return known;
  const config = new ParsedConfig(document.toString());
  parsed.set(document, config);
  return config;
}

/** What completions and documentation are made of. The descriptions of components may arrive after the user asks. */
export interface AssistSource {
  knowledge: () => Promise<ConfigKnowledge>;
  /** Fields that are completed in addition to those of earlier stages. */
  knownFields: () => readonly string[];
}

/** Completes classes, parameters, values and fields, and shows their documentation under the pointer. */
export function configAssist({ knowledge, knownFields }: AssistSource): Extension {
  return [
    autocompletion({
      override: [async (context) => completionsOf(context, await knowledge(), knownFields())],
      icons: false,
    }),
    hoverTooltip(async (view, position) => {
      const known = await knowledge();
      // The editor ignores the answer if its text has changed meanwhile.
      const hover = hoverAt(parsedConfig(view.state.doc), position, known);
      if (hover === undefined) return null;
      return { pos: hover.from, end: hover.to, create: () => ({ dom: documentation(hover.text) }) };
    }),
  ];
}

/** Returns the fixes of a problem as actions of the editor, and applies one as a step that can be undone. */
export function fixActions(document: Text, problem: Problem, knowledge: ConfigKnowledge): Action[] {
  return fixesOf(parsedConfig(document), problem, knowledge).map((fix) => ({
    name: fix.title,
    apply: (view) => applyFix(view, fix),
  }));
}

function applyFix(view: EditorView, { changes, select }: ConfigFix): void {
  view.dispatch({
    changes: [...changes],
    ...(select === undefined ? {} : { selection: { anchor: select.from, head: select.to } }),
    userEvent: 'input.fix',
  });
  view.focus();
}

function completionsOf(
  context: CompletionContext,
  knowledge: ConfigKnowledge,
  knownFields: readonly string[],
): CompletionResult | null {
  const { state, pos, explicit } = context;
  // Blank lines and spaces open no completions, unless the user asks for them.
  if (!explicit && context.matchBefore(/[\w.$"#-]+$/) === null) return null;
  const found = completionsAt(parsedConfig(state.doc), pos, knowledge, { knownFields });
  if (found === undefined) return null;
  const prefix = state.sliceDoc(found.from, pos).replace(/^"/, '').toLowerCase();
  const matching = found.options.filter(({ label }) => label.toLowerCase().includes(prefix));
  const starting = matching.filter(({ label }) => label.toLowerCase().startsWith(prefix));
  const inside = matching.filter((option) => !starting.includes(option));
  const options = [...starting, ...inside].map((option) => completionOf(option, found));
  // The prefix may start with a quote, which the filter of the editor would not find in the labels.
  return { from: found.from, to: found.to, options, filter: false };
}

function completionOf(option: ConfigCompletion, { from, to }: ConfigCompletions): Completion {
  const { label, kind, detail, info, insertion, required } = option;
  return {
    label,
    detail: required ? `${detail}, required` : detail,
    type: TYPES[kind],
    ...(info === '' ? {} : { info: () => documentation(info) }),
    apply: (view) => {
      view.dispatch({
        changes: { from, to: Math.max(to, view.state.selection.main.head), insert: insertion.text },
        selection: { anchor: from + insertion.select.from, head: from + insertion.select.to },
        userEvent: 'input.complete',
      });
    },
  };
}

/** Returns documentation as an element: paragraphs, and code between back quotes. */
function documentation(markdown: string): HTMLElement {
  const box = document.createElement('div');
  box.className = 'cm-documentation';
  for (const paragraph of markdown.split('\n\n')) {
    const line = document.createElement('p');
    for (const [i, part] of paragraph.replaceAll('**', '').split('`').entries()) {
      if (i % 2 === 0) line.append(part);
      else {
        const code = document.createElement('code');
        code.textContent = part;
        line.append(code);
      }
    }
    box.append(line);
  }
  return box;
}
