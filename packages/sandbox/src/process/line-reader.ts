import type { Readable } from 'node:stream';

/**
 * Passes each line of a UTF-8 stream to `onLine`, and at the end of the stream the text after the last line feed.
 * @param maxCharacters the maximum length of a line. A longer line is cut, and `cut` is true.
 */
export function readLines(stream: Readable, maxCharacters: number, onLine: (line: string, cut: boolean) => void): void {
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
  };
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    let at = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', at)) {
      add(text.slice(at, end));
      finish();
      at = end + 1;
    }
    if (at < text.length) add(text.slice(at));
  });
  stream.on('end', () => {
    if (length > 0) finish();
  });
}
