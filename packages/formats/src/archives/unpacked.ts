import { bunzip2 } from './bunzip2.ts';
import type { ByteSource } from './byte-source.ts';
import { bounded, gunzipped } from './gzip.ts';
import { PackedInput } from './packed-input.ts';
import { unxz } from './unxz.ts';
import { unzstd } from './unzstd.ts';

/** The compressions that can be unpacked. */
export type Compression = 'gzip' | 'bzip2' | 'xz' | 'zstd';

/** The compression of files with an extension. */
const BY_EXTENSION: ReadonlyMap<string, Compression> = new Map([
  ['gz', 'gzip'],
  ['bz2', 'bzip2'],
  ['xz', 'xz'],
  ['zst', 'zstd'],
]);

/** The compression of a file, and its name without the extension of the compression. */
export interface CompressedName {
  readonly compression: Compression;
  readonly inner: string;
}

/** Returns the compression that the name of a file shows. */
export function compressionOf(name: string): CompressedName | undefined {
  const dot = name.lastIndexOf('.');
  const compression = dot < 0 ? undefined : BY_EXTENSION.get(name.slice(dot + 1));
  return compression === undefined ? undefined : { compression, inner: name.slice(0, dot) };
}

/**
 * Returns the unpacked content of a compressed file. Fails if the file is truncated or damaged, or unpacks to far more
 * than its size (a zip bomb).
 *
 * @param onRest called if bytes follow the compressed data of a gzip file, which are ignored
 */
export function unpacked(compression: Compression, source: ByteSource, onRest?: () => void): ByteSource {
  return compression === 'gzip' ? gunzipped(source, onRest) : guarded(source, UNPACK[compression]);
}

const UNPACK = { bzip2: bunzip2, xz: unxz, zstd: unzstd } as const;

async function* guarded(source: ByteSource, unpack: (input: PackedInput) => ByteSource): ByteSource {
  const input = new PackedInput(source);
  try {
    yield* bounded(input, unpack(input));
  } finally {
    await input.close();
  }
}
