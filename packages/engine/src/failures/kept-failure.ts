import type { Failure } from '../errors/headrace-error.ts';

/** The limits unless all failed documents are wanted (`RunRequest.keepAllFailures`). */

/**
 * How many failed documents a run reports individually. The counts continue after that. Its result and its log never
 * list more.
 */
export const MAX_KEPT_FAILURES = 1000;
/** A larger document is reported without its content. */
export const MAX_DOCUMENT_BYTES = 1024 * 1024;
/** After this many bytes, further documents are reported without their contents. */
export const MAX_RUN_BYTES = 64 * 1024 * 1024;
/** Messages and hints are cut to this length. */
export const MAX_MESSAGE_CHARACTERS = 4000;

/** A document that failed, and why. */
export interface FailedDocument {
  id: string;
  connector: string;
  /**
   * The failed part: the name of a stage, `indexer`, `pipeline`, or `connector` for a record that could not be read.
   */
  at: string;
  failure: Failure;
  /** The server's status, if the indexer uses HTTP. */
  status?: number;
}

/** A failed document as it is stored, with what a run needs to process it again. */
export interface KeptFailure extends FailedDocument {
  pipeline?: string;
  document?: KeptDocument;
  /** Why there is no document. */
  omitted?: string;
}

/**
 * The content of a failed document:
 * - `input`: the JSON that the connector published. It goes through the pipeline again.
 * - `encoded`: the text that the indexer received. It goes to the indexer again, if the encoder is still the same.
 */
export type KeptDocument =
  | {
      readonly kind: 'input';
      readonly json: string;
      /** Fields whose texts are bytes in base64, because JSON has no type for bytes. */
      readonly binaryFields: readonly string[];
    }
  | {
      readonly kind: 'encoded';
      readonly text: string;
      /** Identifies an encoder and its options. */
      readonly encoding: string;
    };

/** Either the content of a failed document, or the reason why it is missing. */
export type Content = { readonly document: KeptDocument } | { readonly omitted: string };
