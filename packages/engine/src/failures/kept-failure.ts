import type { Failure } from '../errors/headrace-error.ts';

/* The limits, for who does not ask for all failed documents (`RunRequest.keepAllFailures`). */

/** How many failed documents a run tells of one by one; the counts go on beyond it. Its result and its log never have more. */
export const MAX_KEPT_FAILURES = 1000;
/** A document that is larger is told without its content. */
export const MAX_DOCUMENT_BYTES = 1024 * 1024;
/** And so are all further ones when a run has told of so much. */
export const MAX_RUN_BYTES = 64 * 1024 * 1024;
/** What a message or a hint is cut to. */
export const MAX_MESSAGE_CHARACTERS = 4000;

/** A document that failed, and why. */
export interface FailedDocument {
  id: string;
  connector: string;
  /** What failed on it: the name of a stage, `indexer`, `pipeline`, or `connector` for a record that could not be read. */
  at: string;
  failure: Failure;
  /** What the server answered, where the indexer speaks HTTP. */
  status?: number;
}

/** A failed document as it is kept: with what is needed to run it again. */
export interface KeptFailure extends FailedDocument {
  pipeline?: string;
  document?: KeptDocument;
  /** Why there is no document. */
  omitted?: string;
}

/**
 * The content of a failed document:
 * - `input`: as the connector delivered it, in JSON. It goes through the pipeline again.
 * - `encoded`: as the indexer was given it. It goes to the indexer again, if that still encodes in the same way.
 */
export type KeptDocument =
  | {
      readonly kind: 'input';
      readonly json: string;
      /** Fields whose texts are bytes in base64: JSON cannot say so itself. */
      readonly binaryFields: readonly string[];
    }
  | {
      readonly kind: 'encoded';
      readonly text: string;
      /** Tells encoders, and what they were told, apart. */
      readonly encoding: string;
    };

/** Either the content of a failed document, or why there is none. */
export type Content = { readonly document: KeptDocument } | { readonly omitted: string };
