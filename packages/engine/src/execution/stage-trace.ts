import type { Failure } from '../errors/headrace-error.ts';

/** The effect of a stage on a document. The last entry of a list shows how the document left, or why it failed. */
export interface StageTrace {
  readonly stage: string;
  /** The class of the stage. */
  readonly class: string;
  /** How long the stage worked on the document, in milliseconds. Absent if it was not called. */
  millis?: number;
  /** The document after the stage, as JSON. */
  document?: string;
  /** True if the stage did not change the document. */
  unchanged?: true;
  /** Set if the stage was not called because the document does not meet its conditions. */
  skipped?: 'condition';
  /** True if the stage dropped the document. */
  dropped?: true;
  /** True if the stage made the document skip all later stages. */
  skipsRest?: true;
  failure?: Failure;
  /** True if the trace is full, so the document is not shown. */
  cut?: true;
  /** The documents that the stage emitted, each with the effects of the later stages. */
  children?: ChildTrace[];
}

export interface ChildTrace {
  /** The emitted child as JSON. Absent if the trace was full. */
  readonly document?: string;
  readonly trace: StageTrace[];
}

/** Returns a trace as JSON. Documents are inserted as they were written, so their types of numbers are kept. */
export function traceJson(trace: readonly StageTrace[]): string {
  const stages = trace.map(({ document, children, ...rest }) => {
    const shown = document === undefined ? '' : `,"document":${document}`;
    const emitted = children === undefined ? '' : `,"children":[${children.map(childJson).join(',')}]`;
    return `${JSON.stringify(rest).slice(0, -1)}${shown}${emitted}}`;
  });
  return `[${stages.join(',')}]`;
}

function childJson({ document, trace }: ChildTrace): string {
  return `{${document === undefined ? '' : `"document":${document},`}"trace":${traceJson(trace)}}`;
}
