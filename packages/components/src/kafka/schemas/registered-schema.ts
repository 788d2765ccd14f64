import type { ProtobufSchema } from './protobuf-schema.ts';

/** A schema of a registry, with everything that it refers to. Plain data: pipeline threads receive it with messages. */
export type RegisteredSchema =
  /** @param texts the schemas that it refers to, then the schema itself */
  | { readonly kind: 'avro'; readonly texts: readonly string[] }
  | { readonly kind: 'json' }
  | { readonly kind: 'protobuf'; readonly schema: ProtobufSchema }
  /** The registry does not have the schema, or it cannot be used. Its messages fail. */
  | { readonly kind: 'unusable'; readonly reason: string };

/** The first byte of a message in the format of Confluent's serializers. The id of the schema follows, in four bytes. */
export const MAGIC_BYTE = 0;
/** The length of the magic byte and the id. */
export const PREFIX_BYTES = 5;

/** Returns the id of the schema of a message. Returns undefined if the message has none. */
export function schemaIdOf(bytes: Uint8Array): number | undefined {
  if (bytes.length < PREFIX_BYTES || bytes[0] !== MAGIC_BYTE) return undefined;
  return Buffer.from(bytes.buffer, bytes.byteOffset, PREFIX_BYTES).readUInt32BE(1);
}
