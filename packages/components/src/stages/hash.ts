import { hash as nodeHash } from 'node:crypto';
import {
  type Document,
  type DocumentTable,
  OneOf,
  type ParameterProblem,
  Stage,
  type StageContext,
  type Static,
  Type,
  updateColumn,
  type Value,
} from '@headrace/engine';
import { canonicalText } from '../fields/canonical-text.ts';
import { checkDestination } from '../fields/destination.ts';

const parameters = Type.Object({
  /** The fields to hash, at least one. Their order does not matter. */
  fields: Type.Array(Type.String()),
  /** The field for the hash. Its previous value is replaced. */
  dest: Type.String(),
  /**
   * "sha256" (256 bits), or a fast hash for texts that no person chooses to have the same hash:
   * "xxhash64" (XXH64), "xxhash3" (XXH3 with 64 bits) or "xxhash128" (XXH3 with 128 bits).
   */
  algorithm: OneOf(['sha256', 'xxhash64', 'xxhash3', 'xxhash128'], { default: 'sha256' }),
  /** How the hash is written: "hex", "base64", or "base64url" (without "/", "+" and "=", so that it fits in a URL). */
  encoding: OneOf(['hex', 'base64', 'base64url'], { default: 'hex' }),
});

type Encoding = Static<typeof parameters>['encoding'];
type HashFunction = (data: string | Uint8Array, encoding: Encoding) => string;

/**
 * Writes a hash of one or several fields: a short key for a long one, a stable id from the content, or a pseudonym.
 *
 * Of one field, a text is hashed as its UTF-8 bytes and bytes as they are, so other programs compute the same hash. Any
 * other value, and several fields, are hashed as JSON without blanks: {"city":"Rome","zip":"00184"}. The names in
 * objects are sorted. A missing field is not in the JSON. So several fields have the same text only if all their values
 * are equal, and of the same type: 1, "1" and 1.0 differ, and so do null and a missing field. In this JSON, bytes are
 * written b"..." with base64.
 *
 * If all fields are missing, the document does not change.
 *
 * To use the hash as the id in the index, set indexer.idOverrideField to dest. A hash with 64 bits is too short for the
 * ids of more than some hundred million documents: two of them may then have the same id. The hash of a value that can
 * be guessed, such as an email address, does not hide it.
 */
export class Hash extends Stage<typeof parameters> {
  static override readonly parameters = parameters;
  static readonly javaClass = null;

  static readonly examples = [
    {
      description: 'A short id for a long URL',
      params: { fields: ['url'], dest: 'key', encoding: 'base64url' },
      documents: [{ id: '1', url: 'shop.example/products/4711?color=red' }],
      output: [
        { id: '1', url: 'shop.example/products/4711?color=red', key: 'vmgq4q6VLac5UMnRrMzyJtF3mFXueGRLXTgNdpFhN0U' },
      ],
    },
    {
      description: 'The same key for the same content',
      params: { fields: ['city', 'zip'], dest: 'key', algorithm: 'xxhash3' },
      documents: [
        { id: '1', city: 'Rome', zip: '00184' },
        { id: '2', city: 'Rome', zip: 184 },
      ],
      output: [
        { id: '1', city: 'Rome', zip: '00184', key: '1e8f40683e4e26e5' },
        { id: '2', city: 'Rome', zip: 184, key: '472b7b527f3dde01' },
      ],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    if (params.fields.length === 0) yield { parameter: 'fields', message: 'fields must name at least one field' };
    yield* checkDestination('dest', params.dest);
  }

  readonly #fields: readonly string[];
  #hash: HashFunction = sha256;

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    this.#fields = [...new Set(params.fields)].sort();
  }

  override async start(): Promise<void> {
    this.#hash = await openHash(this.params.algorithm);
  }

  override process(document: Document): void {
    const hash = this.#hashOf((field) => document.get(field));
    if (hash !== undefined) document.set(this.params.dest, hash);
  }

  override processTable(table: DocumentTable): boolean {
    const columns = new Map(this.#fields.map((field) => [field, table.column(field)]));
    const hashes: (string | undefined)[] = new Array(table.count);
    for (let row = 0; row < hashes.length; row++) hashes[row] = this.#hashOf((field) => columns.get(field)?.[row]);
    updateColumn(table, this.params.dest, 'overwrite', hashes);
    return true;
  }

  #hashOf(get: (field: string) => Value | undefined): string | undefined {
    const { encoding } = this.params;
    const [only, ...others] = this.#fields;
    if (others.length === 0) {
      const value = get(only as string);
      if (value === undefined) return undefined;
      const isPlain = typeof value === 'string' || value instanceof Uint8Array;
      return this.#hash(isPlain ? value : canonicalText(value), encoding);
    }
    const values = new Map<string, Value>();
    for (const field of this.#fields) {
      const value = get(field);
      if (value !== undefined) values.set(field, value);
    }
    return values.size === 0 ? undefined : this.#hash(canonicalText(values), encoding);
  }
}

const sha256: HashFunction = (data, encoding) => nodeHash('sha256', data, encoding);

async function openHash(algorithm: Static<typeof parameters>['algorithm']): Promise<HashFunction> {
  if (algorithm === 'sha256') return sha256;
  const { createXXHash64, createXXHash3, createXXHash128 } = await import('hash-wasm');
  const create = { xxhash64: createXXHash64, xxhash3: createXXHash3, xxhash128: createXXHash128 }[algorithm];
  const hasher = await create();
  return (data, encoding) => {
    hasher.init().update(data);
    return encoding === 'hex' ? hasher.digest('hex') : Buffer.from(hasher.digest('binary')).toString(encoding);
  };
}
