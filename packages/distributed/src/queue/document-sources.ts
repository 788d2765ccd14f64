import type { TopicMessage } from '@headrace/components/kafka';
import { parseJson } from '@headrace/engine';

/** The messages of a chunk in Lucille's format, by document id. */
export class DocumentSources {
  readonly topic: string;
  readonly #byId = new Map<string, { readonly runId: string | undefined; readonly message: TopicMessage }>();
  /** The run id of the first document, used for children. Nearly all chunks contain the documents of one run. */
  readonly runId: string | undefined;

  constructor(topic: string, messages: readonly TopicMessage[]) {
    this.topic = topic;
    for (const message of messages) {
      try {
        const { id, run_id } = parseJson(String(message.value)) as { id?: unknown; run_id?: unknown };
        const runId = typeof run_id === 'string' ? run_id : undefined;
        this.#byId.set(String(id), { runId, message });
        this.runId ??= runId;
      } catch {
        // The message cannot be decoded. The decoder reports that.
      }
    }
  }

  /** Returns true if a message contained the document. The others are children. */
  has(id: string): boolean {
    return this.#byId.has(id);
  }

  message(id: string): TopicMessage | undefined {
    return this.#byId.get(id)?.message;
  }

  runIdOf(id: string): string | undefined {
    return this.#byId.get(id)?.runId ?? this.runId;
  }
}
