import type { Schemas } from '@headrace/client';
import type { PreviewAnswer } from './preview-runner.svelte.ts';

type Result = PreviewAnswer['results'][number];
type Fields = Readonly<Record<string, unknown>>;

/** The effect of one stage on a document. */
export interface PreviewStep {
  readonly name: string;
  readonly class: string;
  readonly outcome: 'changed' | 'unchanged' | 'failed';
  /** How long the stage worked on the document. Undefined if it was not called. */
  readonly millis: number | undefined;
  /** The effect in a few words. */
  readonly text: string;
  readonly before: Fields | undefined;
  readonly after: Fields | undefined;
  readonly failure: Schemas['StageTrace']['failure'];
}

/** Returns the steps of a document: the input first, then each stage that it reached. Children follow their stage. */
export function stepsOf({ input, trace = [] }: Result): PreviewStep[] {
  const start = typeof input === 'string' ? undefined : input;
  const first: PreviewStep = {
    name: 'Input',
    class: '',
    outcome: 'unchanged',
    millis: undefined,
    text: typeof input === 'string' ? input : 'as the source returned it',
    before: start,
    after: start,
    failure: undefined,
  };
  return [first, ...traced(trace, start, '')];
}

function traced(trace: readonly Schemas['StageTrace'][], start: Fields | undefined, prefix: string): PreviewStep[] {
  const steps: PreviewStep[] = [];
  let before = start;
  for (const entry of trace) {
    const after = entry.document ?? (entry.dropped ? undefined : before);
    steps.push({
      name: `${prefix}${entry.stage}`,
      class: entry.class,
      outcome:
        entry.failure !== undefined
          ? 'failed'
          : entry.unchanged || entry.skipped !== undefined
            ? 'unchanged'
            : 'changed',
      millis: entry.millis,
      text: textOf(entry),
      before,
      after,
      failure: entry.failure,
    });
    for (const [i, child] of (entry.children ?? []).entries()) {
      steps.push({
        name: `${prefix}child ${i + 1}`,
        class: entry.class,
        outcome: 'changed',
        millis: undefined,
        text: 'new document',
        before: {},
        after: child.document,
        failure: undefined,
      });
      steps.push(...traced(child.trace, child.document, `${prefix}child ${i + 1} · `));
    }
    before = after;
  }
  return steps;
}

function textOf({ failure, dropped, skipped, skipsRest, unchanged, cut, children }: Schemas['StageTrace']): string {
  if (failure !== undefined) return 'failed';
  if (dropped) return 'dropped the document';
  if (skipped !== undefined) return 'skipped: its conditions are not met';
  const made = children === undefined ? '' : `, ${children.length} new documents`;
  if (cut) return 'not shown: the preview is too large';
  if (skipsRest) return `the document skips the later stages${made}`;
  return `${unchanged ? 'unchanged' : 'changed'}${made}`;
}
