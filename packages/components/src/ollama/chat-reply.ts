import { parseJson } from '@headrace/engine';

/** The maximum number of characters in a reply and in one line of the stream. It stops an endless reply. */
const MAX_REPLY = 16 * 1024 * 1024;

/** A line of the streamed response of `/api/chat`. */
interface ChatLine {
  readonly message?: { readonly content?: unknown };
  readonly done?: unknown;
  readonly error?: unknown;
}

/**
 * Returns the complete reply of a chat with Ollama, from a stream of JSON objects on separate lines.
 * Throws if the server reports an error, if the stream is not such JSON, or if it ends before the reply is complete.
 * @param noted called for every part of the stream
 */
export async function readChatReply(body: AsyncIterable<Uint8Array>, noted: () => void): Promise<string> {
  const decoder = new TextDecoder();
  let reply = '';
  let rest = '';
  for await (const chunk of body) {
    noted();
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() as string;
    for (const line of lines) {
      const read = readLine(line);
      reply += read.content;
      if (read.done) return reply;
    }
    if (reply.length + rest.length > MAX_REPLY)
      throw new Error(`Ollama's reply is longer than ${MAX_REPLY} characters`);
  }
  const read = readLine(rest);
  if (read.done) return reply + read.content;
  throw new Error('Ollama ended its reply before it was complete');
}

function readLine(line: string): { content: string; done: boolean } {
  if (line.trim() === '') return { content: '', done: false };
  let piece: ChatLine | null;
  try {
    piece = parseJson(line) as ChatLine | null;
  } catch {
    throw new Error(`Ollama sent something that is not JSON: ${line.slice(0, 200)}`);
  }
  if (piece?.error !== undefined) throw new Error(`Ollama failed: ${String(piece.error)}`);
  const content = piece?.message?.content;
  return { content: typeof content === 'string' ? content : '', done: piece?.done === true };
}
