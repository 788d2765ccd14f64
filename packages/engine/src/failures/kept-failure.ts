import type { Failure } from '../errors/headrace-error.ts';

/** The limits for failed documents, unless the run keeps all of them (`RunRequest.keepAllFailures`). */

/** The maximum number of failed documents in the result and the log of a run. */
export const MAX_LISTED_FAILURES = 1000;
/** The maximum number of failed documents that a run reports to a store. Further failures are only counted. */
export const MAX_KEPT_FAILURES = 100_000;
/** The maximum size of the content of a failed document. A larger document is reported without its content. */
export const MAX_DOCUMENT_BYTES = 1024 * 1024;
/** The maximum size of all contents. Further documents are reported without their contents. */
export const MAX_RUN_BYTES = 64 * 1024 * 1024;
/** The maximum length of a message or a hint. Longer texts are cut. */
export const MAX_MESSAGE_CHARACTERS = 4000;

/** A document that failed, and the reason. */
export interface FailedDocument {
  id: string;
  connector: string;
  /**
   * The part that failed: the name of a stage, `indexer`, `pipeline`, or `connector` for a record that could not be
   * read.
   */
  at: string;
  failure: Failure;
  /** The HTTP status of the server, if the indexer uses HTTP. */
  status?: number;
}

/** A stored failed document, with the data that a run needs to process it again. */
export interface KeptFailure extends FailedDocument {
  pipeline?: string;
  document?: KeptDocument;
  /** The reason why the document is missing. */
  omitted?: string;
}

/**
 * The content of a failed document:
 * - `input`: the JSON that the connector published. A retry sends it through the pipeline.
 * - `encoded`: the text for the indexer. A retry sends it to the indexer, if the encoder is still the same.
 */
export type KeptDocument =
  | {
      readonly kind: 'input';
      readonly json: string;
      /** Fields with bytes in base64, because JSON has no type for bytes. */
      readonly binaryFields: readonly string[];
    }
  | {
      readonly kind: 'encoded';
      readonly text: string;
      /** A key for the encoder and its options, see `encodingOf`. */
      readonly encoding: string;
    };

/** The content of a failed document, or the reason why it is missing. */
export type Content = { readonly document: KeptDocument } | { readonly omitted: string };
