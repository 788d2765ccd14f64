import { createZstdDecompress } from 'node:zlib';
import type { ByteSource } from './byte-source.ts';
import { nothingIn, type PackedInput, TruncatedError } from './packed-input.ts';

/** The largest window, in bits: 128 MiB, as in `zstd -d`. It is memory that a small file can ask for. */
const WINDOW_BITS = 27;
const WINDOW_LOG_MAX = 100;

/** Returns the unpacked content of a zstd file with all its frames. Fails if the file is truncated or damaged. */
export async function* unzstd(input: PackedInput): ByteSource {
  if ((await input.peek(1)).length === 0) throw nothingIn();
  const unpack = createZstdDecompress({ params: { [WINDOW_LOG_MAX]: WINDOW_BITS } });
  const feeding = feed(input, unpack);
  feeding.catch((error) => unpack.destroy(error));
  try {
    yield* unpack as AsyncIterable<Buffer>;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'Z_BUF_ERROR' || code === 'ERR_STREAM_PREMATURE_CLOSE') throw new TruncatedError();
    throw error;
  } finally {
    unpack.destroy();
  }
  await feeding;
}

async function feed(input: PackedInput, unpack: ReturnType<typeof createZstdDecompress>): Promise<void> {
  for (let piece = await input.next(); piece !== undefined; piece = await input.next()) {
    const bytes = piece;
    await new Promise<void>((resolve, reject) => {
      unpack.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
  }
  unpack.end();
}
