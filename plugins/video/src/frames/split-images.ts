/** The size of an image in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

const SIGNATURE = '89504e470d0a1a0a';
const SIGNATURE_BYTES = 8;
/** The length, the type and the checksum of each chunk of a PNG image. */
const CHUNK_EXTRA_BYTES = 12;

/**
 * Cuts a stream of PNG images without separators into images. Holds one image at a time. Throws if the stream contains
 * something else, or an image of more than `maxBytes`.
 */
export async function* splitImages(
  stream: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let buffer = Buffer.allocUnsafeSlow(256 * 1024);
  let end = 0;
  /** Where the next chunk of the image begins. */
  let next = SIGNATURE_BYTES;
  for await (const piece of stream) {
    if (end + piece.length > buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(buffer.length * 2, end + piece.length));
      buffer.copy(larger, 0, 0, end);
      buffer = larger;
    }
    buffer.set(piece, end);
    end += piece.length;
    while (next + CHUNK_EXTRA_BYTES <= end) {
      if (buffer.toString('hex', 0, SIGNATURE_BYTES) !== SIGNATURE) throw new Error('the output of ffmpeg is not PNG');
      const after = next + CHUNK_EXTRA_BYTES + buffer.readUInt32BE(next);
      if (after > maxBytes) throw new Error(`a frame has more than ${maxBytes / 1024 ** 2} MiB`);
      if (buffer.toString('latin1', next + 4, next + 8) !== 'IEND') {
        next = after;
        continue;
      }
      yield new Uint8Array(buffer.subarray(0, after));
      buffer.copyWithin(0, after, end);
      end -= after;
      next = SIGNATURE_BYTES;
    }
  }
  if (end > 0) throw new Error('the last frame is incomplete');
}

/** Returns the size of a PNG image. */
export function sizeOf(image: Uint8Array): ImageSize {
  const view = new DataView(image.buffer, image.byteOffset);
  return { width: view.getUint32(16), height: view.getUint32(20) };
}
