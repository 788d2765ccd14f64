import { charsetDecoder, labelDecoder } from '@headrace/charsets';
import { OneOf, type ParameterProblem, Type } from '@headrace/engine';

/** How the bytes of files become text. Plain data. */
export interface EncodingSettings {
  /** What the files are encoded in; `auto` finds it out file by file. Defaults to UTF-8. */
  readonly encoding?: string;
  /** What happens to a file with bytes that do not decode: they become U+FFFD, or the file fails. */
  readonly onInvalidBytes?: 'replace' | 'fail';
}

/** The parameter of all formats that says what bytes that do not decode do to their file. */
export const invalidBytesParameter = {
  /**
   * What happens to bytes that do not decode: "replace" makes them U+FFFD, "fail" fails the file. Defaults to replace.
   */
  onInvalidBytes: Type.Optional(OneOf(['replace', 'fail'], { default: 'replace' })),
};

/** The parameters that say how the bytes of files become text. */
export const encodingParameters = {
  /**
   * What the file is encoded in: a label of the Encoding Standard (windows-1252, utf-16le, shift_jis, …), another name
   * that iconv-lite knows (cp850), or auto. Defaults to utf-8.
   */
  encoding: Type.Optional(Type.String({ default: 'utf-8' })),
  ...invalidBytesParameter,
};

/** Whether the encoding is found out from each file. */
export function isAuto(encoding: string): boolean {
  return encoding.toLowerCase() === 'auto';
}

/**
 * Whose meaning names of charsets have where two differ: that of the Encoding Standard, as in browsers, or that of Java,
 * as in the reference. `iso-8859-1` is windows-1252 in the one and strictly ISO-8859-1 in the other.
 */
export type NamesOf = 'standard' | 'java';

export const DECODER_OF = { standard: labelDecoder, java: charsetDecoder } as const;

/** An encoding that is not known. */
export function* checkEncoding({ encoding }: EncodingSettings, names: NamesOf): Generator<ParameterProblem> {
  if (encoding === undefined || isAuto(encoding) || DECODER_OF[names](encoding) !== undefined) return;
  yield {
    parameter: 'encoding',
    message: `The encoding "${encoding}" is not known`,
    hint: 'Known are auto, UTF-8, UTF-16, windows-1252, ISO-8859-1, Shift_JIS, GB18030 and others of the Encoding Standard, and what iconv-lite knows, such as CP850.',
  };
}
