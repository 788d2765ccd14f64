import type { Journal, OtherWriters } from '../component/destination.ts';

/** The messages of a run to the `Destinations` of its process. `pass` numbers the passes of the run. */
export type ToDestinations =
  | {
      readonly type: 'enter';
      readonly pass: number;
      readonly kind: 'writer' | 'rebuild';
      readonly place: string;
      /** The names that the run writes to; undefined: any. */
      readonly names: readonly string[] | undefined;
      readonly alone: string | undefined;
    }
  /** A rebuild asks that the others have no request in flight. It numbers its questions. */
  | { readonly type: 'pause'; readonly pass: number; readonly question: number }
  /** A writer has no request in flight and begins none: the answer to the pause with this number. */
  | { readonly type: 'paused'; readonly pass: number; readonly pause: number }
  /** A rebuild lets the others continue, with this journal. */
  | { readonly type: 'resume'; readonly pass: number; readonly journal: Journal | undefined }
  | { readonly type: 'broken'; readonly pass: number; readonly path: string; readonly reason: string }
  | { readonly type: 'leave'; readonly pass: number };

/** The messages of the `Destinations` to a run. */
export type FromDestinations =
  /** The run must wait for another one. */
  | { readonly type: 'waiting'; readonly pass: number; readonly message: string }
  | {
      readonly type: 'entered';
      readonly pass: number;
      /** One counter: the changes in flight, and those without a known outcome. It outlives the thread of the run. */
      readonly memory: SharedArrayBuffer;
      readonly journals: readonly Journal[];
      /** The path for the journal of a rebuild. */
      readonly path: string;
    }
  /** A writer must begin no further request. Pauses are numbered, because an answer may come late. */
  | { readonly type: 'pause'; readonly pass: number; readonly pause: number }
  | { readonly type: 'resume'; readonly pass: number; readonly journals: readonly Journal[] }
  /** No other run has a request in flight: the answer to the question with this number. */
  | { readonly type: 'quiet'; readonly pass: number; readonly question: number; readonly others: OtherWriters };
