import type { ByteSource, SourceFile } from '../byte-source.ts';
import type { FormatContext } from '../format-context.ts';
import { textBytes } from '../text-bytes.ts';
import type { EncodingSettings, NamesOf } from './encoding-settings.ts';
import { InvalidBytes } from './invalid-bytes.ts';
import { SourceText } from './source-text.ts';

/** A file as UTF-8, with the counter of its invalid bytes. */
export interface OpenText {
  readonly bytes: ByteSource;
  readonly invalid: InvalidBytes;
  /** Names a position for messages: the number of bytes of the UTF-8 text before it becomes a position in the file. */
  nameByte(before: number): string;
}

/**
 * Opens a file for a format. All formats read UTF-8.
 * @param declared see `SourceTextOptions`
 */
export function openText(
  file: SourceFile,
  { encoding, onInvalidBytes }: EncodingSettings,
  { log, notices }: FormatContext,
  names: NamesOf = 'standard',
  declared?: (head: string) => string | undefined,
): OpenText {
  const { path } = file;
  const text = new SourceText(
    { ...file, bytes: textBytes(file, log) },
    {
      encoding,
      names,
      ...(declared === undefined ? {} : { declared }),
      onGuess: (guess) => {
        log.warn(`${path} is read as ${guess}, which is a guess: set encoding to be sure`);
        notices.report('encoding.guessed', { file: path, value: guess });
      },
      onUnknown: (unknown) =>
        log.warn(
          `${path} declares the encoding ${unknown}, which is not known, so it is guessed from the bytes: set encoding to be sure`,
        ),
    },
  );
  return {
    bytes: text.bytes(),
    invalid: new InvalidBytes({ path, text, setting: encoding, log, notices, onInvalidBytes }),
    nameByte: (before) =>
      text.encoding === 'UTF-8' ? `byte ${text.markBytes + before}` : `byte ${before} of the text in UTF-8`,
  };
}
