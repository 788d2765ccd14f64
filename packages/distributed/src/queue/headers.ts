import type { TopicMessage } from '@headrace/components/kafka';
import { parseJson } from '@headrace/engine';
import type { ConfigIdentity } from '../settings/config-identity.ts';

/** The name of Headrace's header. Messages without it are in Lucille's format. */
const NAME = 'headrace';

/** The header of a message with a batch. */
export interface BatchHeader {
  /** The id of the run. */
  readonly run: string;
  /** The config whose document it is. Absent in messages of other programs, and in replayed ones. */
  readonly config?: ConfigIdentity;
  /** The topic for reports, or undefined if no reports are wanted. */
  readonly events?: string;
  /** The number of the batch in its run and pipeline. */
  readonly batch: number;
  /** The number of documents in the message. */
  readonly count: number;
  /** The number of bytes of the batch before its compression. */
  readonly bytes: number;
  /** The lengths of the separately compressed pieces of the message. Absent if it has one piece. */
  readonly pieces?: readonly number[] | undefined;
  /** The attempt to process the batch that produced the documents. Absent before a worker has processed them. */
  readonly attempt?: string;
  /** The number of the message in its attempt, from 0. */
  readonly part?: number;
}

const NAME_BYTES = Buffer.from(NAME);

/** The headers of a message. */
export function toHeaders(header: object): Map<Buffer, Buffer> {
  return new Map([[NAME_BYTES, Buffer.from(JSON.stringify(header))]]);
}

/** Reads the header. Returns undefined if it is missing or invalid. */
export function readHeader<T extends { readonly run: string } = BatchHeader>({ headers }: TopicMessage): T | undefined {
  for (const [name, value] of headers) {
    if (name !== null && value !== null && name.equals(NAME_BYTES)) return parseHeader(value.toString());
  }
  return undefined;
}

/** Parses the JSON of a header. Returns undefined if it is missing or invalid. */
export function parseHeader<T extends { readonly run: string } = BatchHeader>(json: string | undefined): T | undefined {
  try {
    const header = parseJson(json ?? 'null') as Partial<T> | null;
    return typeof header?.run === 'string' ? (header as T) : undefined;
  } catch {
    return undefined;
  }
}
