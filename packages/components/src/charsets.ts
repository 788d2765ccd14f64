/**
 * Decoding text by the names of encodings, and detecting encodings, for plugins. A call with other values would give wrong
 * text without an error, so it throws `HR_COMPONENT_CONTRACT`.
 *
 * @module
 */

import { contractError, kindOf } from '@headrace/engine';
import type { CharsetDecoder } from '@headrace/formats/charsets';
import * as charsets from '@headrace/formats/charsets';

export {
  type CharsetDecoder,
  ebcdicEncoding,
  feedText,
  htmlText,
  REPLACEMENT,
  SAMPLE_BYTES,
  TextBlocks,
} from '@headrace/formats/charsets';

export const charsetDecoder: typeof charsets.charsetDecoder = (name) => checkedDecoder(charsets.charsetDecoder(name));
export const labelDecoder: typeof charsets.labelDecoder = (label) => checkedDecoder(charsets.labelDecoder(label));

export const markedEncoding: typeof charsets.markedEncoding = (bytes) => charsets.markedEncoding(buffer(bytes));
export const unmarkedUtf16: typeof charsets.unmarkedUtf16 = (bytes) => charsets.unmarkedUtf16(buffer(bytes));
export const firstTelling: typeof charsets.firstTelling = (bytes) => charsets.firstTelling(buffer(bytes));
export const guessEncoding: typeof charsets.guessEncoding = (bytes) => charsets.guessEncoding(buffer(bytes));
export const escapedEncoding: typeof charsets.escapedEncoding = (bytes) => charsets.escapedEncoding(buffer(bytes));
export const firstInvalidUtf8: typeof charsets.firstInvalidUtf8 = (bytes) => charsets.firstInvalidUtf8(buffer(bytes));
export const invalidUtf8Bytes: typeof charsets.invalidUtf8Bytes = (bytes) => charsets.invalidUtf8Bytes(buffer(bytes));
export const replacements: typeof charsets.replacements = (bytes) => charsets.replacements(buffer(bytes));

/** The methods of a Buffer exist in a Uint8Array too, but do something else. */
function buffer(bytes: Buffer): Buffer {
  if (Buffer.isBuffer(bytes)) return bytes;
  throw contractError(`Bytes with text are ${kindOf(bytes)}, not a Buffer`, 'Use Buffer.from(bytes.buffer, …).');
}

function checkedDecoder(decoder: CharsetDecoder | undefined): CharsetDecoder | undefined {
  if (decoder === undefined) return undefined;
  return {
    decode(bytes, more) {
      if (bytes instanceof Uint8Array && typeof more === 'boolean') return decoder.decode(bytes, more);
      throw contractError(
        `decode() of a charset received ${kindOf(bytes)} and ${kindOf(more)}, not a Uint8Array and a boolean`,
        'Pass true if more bytes follow: the last character may be incomplete.',
      );
    },
  };
}
