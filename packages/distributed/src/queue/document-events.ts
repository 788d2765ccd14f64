import type { TopicMessage } from '@headrace/components/kafka';
import type { ChunkOutcome } from '@headrace/engine';
import { parseJson } from '@headrace/engine';
import { lucilleJson } from '../wire/lucille-json.ts';
import { shortReason } from './short-reason.ts';

/** An event about one document, in Lucille's format. */
export interface DocumentEvent {
  readonly type: 'CREATE' | 'FINISH' | 'FAIL' | 'DROP';
  readonly documentId: string;
  readonly message?: string;
}

/**
 * Returns the events about documents that have finished, in the order that the accounting needs.
 * @param isIndexed whether this process has indexed the documents. If not, it has already reported the creation of
 * children that it forwarded
 */
export function eventsOf(outcome: ChunkOutcome, isIndexed: boolean): DocumentEvent[] {
  const { createdIds, droppedIds, sentIds, failures } = outcome;
  const sent = new Set(isIndexed ? [] : sentIds);
  const created = createdIds.filter((id) => !sent.has(id));
  const events: DocumentEvent[] = created.map((documentId) => ({ type: 'CREATE', documentId }));
  for (const documentId of droppedIds) events.push({ type: 'DROP', documentId });
  const failedWrites = new Map<string, string>();
  for (const { id, at, message } of failures) {
    if (at === 'indexer') failedWrites.set(id, message);
    else if (at !== 'connector') events.push({ type: 'FAIL', documentId: id, message });
  }
  if (!isIndexed) return events;
  for (const documentId of sentIds) {
    const reason = failedWrites.get(documentId);
    if (reason === undefined) events.push({ type: 'FINISH', documentId, message: 'SUCCEEDED' });
    else events.push({ type: 'FAIL', documentId, message: `FAILED: ${reason}` });
  }
  return events;
}

/**
 * Returns an event as JSON, with its members in Lucille's order. The time is in seconds, with nine decimals.
 * @param message the message that contained the document, if known
 */
export function eventJson(event: DocumentEvent, runId: string, topic: string, message?: TopicMessage): string {
  const { type, documentId, message: text } = event;
  const members = [`"type":"${type}"`, `"documentId":${JSON.stringify(documentId)}`];
  if (text !== undefined) members.push(`"message":${JSON.stringify(shortReason(text))}`);
  members.push(`"runId":${JSON.stringify(runId)}`, `"instant":${(Date.now() / 1000).toFixed(3)}000000`);
  if (message !== undefined) {
    members.push(`"topic":${JSON.stringify(topic)}`, `"partition":${message.partition}`, `"offset":${message.offset}`);
    if (message.key !== undefined) members.push(`"key":${JSON.stringify(message.key.toString())}`);
  }
  return lucilleJson(`{${members.join(',')}}`);
}

/** Reads an event. Returns undefined if the value is not an event. */
export function readEvent(value: Buffer): (DocumentEvent & { readonly runId?: string }) | undefined {
  try {
    const event = parseJson(value.toString()) as Partial<DocumentEvent>;
    if (typeof event.documentId !== 'string' || !TYPES.has(event.type ?? '')) return undefined;
    return event as DocumentEvent;
  } catch {
    return undefined;
  }
}

const TYPES: ReadonlySet<string> = new Set(['CREATE', 'FINISH', 'FAIL', 'DROP']);
