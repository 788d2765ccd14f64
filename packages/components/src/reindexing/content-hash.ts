import { murmurHash } from './murmur-hash.ts';

/** The number of bytes of a hash of the content of a document. */
export const HASH_BYTES = 16;
/** The number of 32-bit numbers of a hash. */
export const HASH_WORDS = HASH_BYTES / 4;
/** Identifies how hashes are computed. A file with hashes of another kind is not used. */
export const HASH_KIND = 'murmur3';

/** The start of a deletion in a bulk request. */
const DELETION = Buffer.from('{"delete":');
const RUN_ID = Buffer.from('"run_id":"');
const QUOTE = 34;

/**
 * Computes the hashes of documents as they are sent, without the value of `run_id`: their content is then the same in
 * each run. Pipeline threads do this, because it takes longer than everything else that is done with an unchanged
 * document. A deletion has no content; its hash is 0.
 */
export class ContentHasher {
  /** The values of `run_id` in the documents since the last call of `hash`; usually one. */
  readonly #runIds = new Set<string>();
  /** How far the member `run_id` of the last document is from its end. In most sources, it is the same in all. */
  #fromEnd = 0;

  /** Call it with the `run_id` of each document before it is hashed. */
  addRunId(runId: string): void {
    this.#runIds.add(runId);
  }

  /** Returns the hashes of concatenated documents, without gaps. */
  hash(documents: Uint8Array, lengths: Uint32Array): Uint8Array<ArrayBuffer> {
    const bytes = Buffer.from(documents.buffer, documents.byteOffset, documents.byteLength);
    const view = new DataView(documents.buffer, documents.byteOffset, documents.byteLength);
    // Failed documents of an earlier run have its id.
    if (this.#runIds.size === 0) this.#addFirstRunId(bytes);
    const members = Array.from(this.#runIds, (runId) => new Member(bytes, `"run_id":${JSON.stringify(runId)}`));
    this.#runIds.clear();
    const hashes = new Int32Array(lengths.length * HASH_WORDS);
    const one = new Int32Array(HASH_WORDS);
    for (let i = 0, start = 0; i < lengths.length; i++) {
      const end = start + (lengths[i] as number);
      if (!isAt(bytes, start, DELETION)) {
        one.fill(0);
        const member = members.find((some) => some.find(start, end, end - this.#fromEnd));
        if (member === undefined) murmurHash(view, start, end, one);
        else {
          this.#fromEnd = end - member.at;
          // The hash of the first part is the seed for the second one.
          murmurHash(view, start, member.at, one);
          murmurHash(view, member.at + member.length, end, one);
        }
        hashes.set(one, i * HASH_WORDS);
      }
      start = end;
    }
    return new Uint8Array(hashes.buffer);
  }

  #addFirstRunId(bytes: Buffer): void {
    const start = bytes.indexOf(RUN_ID) + RUN_ID.length;
    if (start >= RUN_ID.length) this.#runIds.add(bytes.toString('utf8', start, bytes.indexOf(QUOTE, start)));
  }
}

/** Finds a member in documents, which are searched in order. */
class Member {
  /** Where it was found. */
  at = 0;
  readonly #documents: Buffer;
  readonly #bytes: Buffer;
  /** The first place at or after all documents that were searched. */
  #next = -1;

  constructor(documents: Buffer, text: string) {
    this.#documents = documents;
    this.#bytes = Buffer.from(text);
  }

  get length(): number {
    return this.#bytes.length;
  }

  /** @param expected where it probably is: a comparison takes a tenth of the time of a search */
  find(start: number, end: number, expected: number): boolean {
    if (expected >= start && expected + this.length <= end && isAt(this.#documents, expected, this.#bytes))
      this.at = expected;
    else {
      if (this.#next < start) this.#next = this.#search(start);
      this.at = this.#next;
    }
    return this.at < end;
  }

  #search(start: number): number {
    const at = this.#documents.indexOf(this.#bytes, start);
    return at < 0 ? this.#documents.length : at;
  }
}

function isAt(bytes: Uint8Array, at: number, wanted: Uint8Array): boolean {
  for (let i = 0; i < wanted.length; i++) if (bytes[at + i] !== wanted[i]) return false;
  return true;
}
