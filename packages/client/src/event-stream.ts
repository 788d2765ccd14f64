/** One event of a stream of Server-Sent Events. */
export interface ServerEvent {
  readonly name: string;
  readonly id: string | undefined;
  readonly data: string;
}

/** Returns the events of an answer as they arrive. Skips comments, which only keep the connection open. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = '';
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      const blocks = (rest + decoder.decode(piece.value, { stream: true })).split('\n\n');
      rest = blocks.pop() as string;
      for (const block of blocks) {
        const event = parseEvent(block);
        if (event !== undefined) yield event;
      }
    }
  } finally {
    // If the caller stops reading, the connection is closed.
    await reader.cancel().catch(() => undefined);
  }
}

function parseEvent(block: string): ServerEvent | undefined {
  const fields = new Map<string, string>();
  for (const line of block.split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1).replace(/^ /, ''));
  }
  const data = fields.get('data');
  return data === undefined ? undefined : { name: fields.get('event') ?? 'message', id: fields.get('id'), data };
}
