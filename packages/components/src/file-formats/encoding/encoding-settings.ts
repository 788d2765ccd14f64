import { OneOf, type ParameterProblem, Type } from '@headrace/engine';
import { charsetDecoder, labelDecoder } from '@headrace/formats/charsets';

/** The settings for decoding the bytes of files. They are plain data. */
export interface EncodingSettings {
  /** The encoding of the files. With `auto`, it is detected for each file. */
  readonly encoding: string;
  /** The result for a file with invalid bytes: they become U+FFFD, or the file fails. */
  readonly onInvalidBytes: 'replace' | 'fail';
}

/** The parameter `onInvalidBytes`, which all formats have. */
export const invalidBytesParameter = {
  /** What happens to bytes that do not decode: "replace" makes them U+FFFD, "fail" fails the file. */
  onInvalidBytes: OneOf(['replace', 'fail'], { default: 'replace' }),
};

/** The parameters for decoding the bytes of files. */
export const encodingParameters = {
  /**
   * The encoding of the file: a label of the Encoding Standard (windows-1252, utf-16le, shift_jis, …), another name
   * that Java or iconv-lite knows (cp850, IBM037), or auto.
   */
  encoding: Type.String({ default: 'utf-8' }),
  ...invalidBytesParameter,
};

/** Returns whether the encoding is detected for each file. */
export function isAuto(encoding: string): boolean {
  return encoding.toLowerCase() === 'auto';
}

/**
 * The registry that defines the names of charsets: the Encoding Standard, as in browsers, or Java, as in the reference.
 * For example, `iso-8859-1` is windows-1252 in the Encoding Standard, and strictly ISO-8859-1 in Java.
 */
export type NamesOf = 'standard' | 'java';

export const DECODER_OF = { standard: labelDecoder, java: charsetDecoder } as const;

/** Reports an encoding that is not known. */
export function* checkEncoding({ encoding }: EncodingSettings, names: NamesOf): Generator<ParameterProblem> {
  if (isAuto(encoding) || DECODER_OF[names](encoding) !== undefined) return;
  yield {
    parameter: 'encoding',
    message: `The encoding "${encoding}" is not known`,
    hint: 'Use auto, UTF-8, UTF-16, windows-1252, ISO-8859-1, Shift_JIS, GB18030, another name of the Encoding Standard, or a name that iconv-lite knows, such as CP850.',
  };
}
