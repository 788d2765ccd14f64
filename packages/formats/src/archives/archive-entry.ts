import type { ByteSource } from './byte-source.ts';

/** A file in an archive. */
export interface ArchiveEntry {
  /** The name in the archive, unchanged. It is never used as a path to write to. */
  readonly name: string;
  /** The unpacked size in bytes. */
  readonly size: number;
  /** The time of modification, in nanoseconds since the epoch. */
  readonly modified: bigint;
  /** Why the content is not available, for example because of encryption, an unknown compression method, or a link. */
  readonly unreadable: string | undefined;
  /** The content. It must be read before the next entry, or not at all. */
  readonly bytes: ByteSource;
}
