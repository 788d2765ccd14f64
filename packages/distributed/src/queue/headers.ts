import type { TopicMessage } from '@headrace/components/kafka';

/** The header of our messages. Messages without it are in Lucille's format. */
const NAME = 'headrace';

/** What a message with a batch says about itself. */
export interface BatchHeader {
  /** The id of the run. */
  readonly run: string;
  /** The topic for the reports; absent if none are wanted. */
  readonly events?: string;
  /** The number of the batch in its run and pipeline. */
  readonly batch: number;
  /** How many documents the message has. */
  readonly count: number;
  /** Which processing of the batch the documents come from; absent before a worker has processed them. */
  readonly attempt?: string;
  /** The number of the message in its attempt, from 0. */
  readonly part?: number;
}

const NAME_BYTES = Buffer.from(NAME);

/** The headers of a message. */
export function toHeaders(header: object): Map<Buffer, Buffer> {
  return new Map([[NAME_BYTES, Buffer.from(JSON.stringify(header))]]);
}

/** Reads our header; undefined if the message has none, or one that other programs have damaged. */
export function readHeader<T extends { readonly run: string } = BatchHeader>({ headers }: TopicMessage): T | undefined {
  for (const [name, value] of headers) {
    if (name === null || value === null || !name.equals(NAME_BYTES)) continue;
    try {
      const header = JSON.parse(value.toString()) as Partial<T> | null;
      return typeof header?.run === 'string' ? (header as T) : undefined;
    } catch {
      return undefined;
    }
  }
  return undefined;
}
