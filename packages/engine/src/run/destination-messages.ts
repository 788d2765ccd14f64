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
  /** A rebuild is about to move its alias to this index, or has moved it. */
  | { readonly type: 'moving'; readonly pass: number; readonly index: string }
  | { readonly type: 'moved'; readonly pass: number }
  /** A writer has made sure that no alias moves to this index any more. */
  | { readonly type: 'cancelled'; readonly pass: number; readonly index: string }
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
      /** The indices to which an alias may still move, although nothing waits for that. A writer cancels these moves. */
      readonly moves: readonly string[];
      /** The path for the journal of a rebuild. */
      readonly path: string;
    }
  /** A writer must begin no further request. Pauses are numbered, because an answer may come late. */
  | { readonly type: 'pause'; readonly pass: number; readonly pause: number }
  | {
      readonly type: 'resume';
      readonly pass: number;
      readonly journals: readonly Journal[];
      readonly moves: readonly string[];
    }
  /** The move of a rebuild is noted: the answer to `moving`; or why it could not be. */
  | { readonly type: 'noted'; readonly pass: number; readonly failure: string | undefined }
  /** No other run has a request in flight: the answer to the question with this number. */
  | { readonly type: 'quiet'; readonly pass: number; readonly question: number; readonly others: OtherWriters };
