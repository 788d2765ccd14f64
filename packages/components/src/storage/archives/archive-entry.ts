import type { ByteSource } from '../../formats/byte-source.ts';

/** A file in an archive. */
export interface ArchiveEntry {
  /** As in the archive: only a name, never a place to write to. */
  readonly name: string;
  /** In bytes, unpacked. */
  readonly size: number;
  /** Nanoseconds since the epoch. */
  readonly modified: bigint;
  /** Why its content cannot be had: encryption, a method of compression that is not known; it is a link. */
  readonly unreadable: string | undefined;
  /** Its content, to be read before the next entry is asked for, or not at all. */
  readonly bytes: ByteSource;
}
