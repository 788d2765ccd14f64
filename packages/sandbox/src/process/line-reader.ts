import type { Readable } from 'node:stream';

/** Memory for a line while it arrives. */
export interface LineMemory {
  /** Takes memory for more bytes. Returns undefined if it is available now. May throw or reject if it is not. */
  take(bytes: number): Promise<void> | undefined;
  release(): void;
}

const BYTES_PER_CHARACTER = 2;

/**
 * Passes each line of a UTF-8 stream to `onLine`, and at the end of the stream the text after the last line feed.
 * @param maxCharacters the maximum length of a line. A longer line is cut, and `cut` is true.
 * @param memory counts a line that is longer than a chunk of the stream. The stream waits while there is not enough, and
 * is destroyed with the error if there cannot be enough.
 */
export function readLines(
  stream: Readable,
  maxCharacters: number,
  onLine: (line: string, cut: boolean) => void,
  memory?: LineMemory,
): void {
  let pieces: string[] = [];
  let length = 0;
  const add = (piece: string) => {
    if (length < maxCharacters) pieces.push(piece);
    length += piece.length;
  };
  const finish = () => {
    const line = pieces.length === 1 ? (pieces[0] as string) : pieces.join('');
    const cut = length > maxCharacters;
    pieces = [];
    length = 0;
    onLine(cut ? line.slice(0, maxCharacters) : line, cut);
    memory?.release();
  };
  const takeMemory = async (characters: number) => {
    try {
      const waiting = memory?.take(BYTES_PER_CHARACTER * characters);
      if (waiting === undefined) return;
      stream.pause();
      await waiting;
      stream.resume();
    } catch (error) {
      stream.destroy(error as Error);
    }
  };
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    let at = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', at)) {
      add(text.slice(at, end));
      finish();
      at = end + 1;
    }
    if (at === text.length) return;
    add(text.slice(at));
    if (memory !== undefined && length <= maxCharacters) void takeMemory(text.length - at);
  });
  stream.on('close', () => memory?.release());
  stream.on('end', () => {
    if (length > 0) finish();
  });
}
