/** An event of a stream. */
export interface ReadEvent {
  id: string;
  name: string;
  data: never;
}

/** Reads a stream of Server-Sent Events. */
export class EventReader {
  readonly response: Response;
  /** The events that have arrived so far. */
  readonly events: ReadEvent[] = [];
  /** The raw text that has arrived so far. */
  text = '';
  /** Resolves when the service has ended the stream. */
  readonly ended: Promise<void>;
  readonly #abort: AbortController;
  #rest = '';
  #wake: () => void = () => undefined;

  private constructor(response: Response, abort: AbortController) {
    this.response = response;
    this.#abort = abort;
    this.ended = this.#read();
    // A test that does not wait for the end may abort.
    this.ended.catch(() => undefined);
  }

  static async open(url: string, headers: Record<string, string> = {}): Promise<EventReader> {
    const abort = new AbortController();
    return new EventReader(await fetch(url, { headers, signal: abort.signal }), abort);
  }

  /** Resolves with the first matching event. */
  async event(name: string, wanted: (data: never) => boolean = () => true): Promise<ReadEvent> {
    for (;;) {
      const found = this.events.find((event) => event.name === name && wanted(event.data));
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  named(name: string): ReadEvent[] {
    return this.events.filter((event) => event.name === name);
  }

  /** Disconnects from the service. */
  abort(): void {
    this.#abort.abort();
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const bytes of this.response.body ?? []) {
      const text = decoder.decode(bytes as Uint8Array, { stream: true });
      this.text += text;
      this.#rest += text;
      const frames = this.#rest.split('\n\n');
      this.#rest = frames.pop() as string;
      for (const frame of frames) {
        const fields = new Map(frame.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]));
        const [id, name, data] = ['id', 'event', 'data'].map((field) => fields.get(field));
        if (id !== undefined && name !== undefined)
          this.events.push({ id, name, data: JSON.parse(data ?? '') as never });
      }
      this.#wake();
    }
  }
}
