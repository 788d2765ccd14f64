import type { ModuleReference, RecordDecoder } from '../component/connector.ts';
import type { Logger } from '../component/logger.ts';

/**
 * The decoders that a thread has created, one for each reference. Their state (for example, which warnings were logged)
 * lasts across chunks.
 */
export class Decoders {
  readonly #made = new Map<string, RecordDecoder>();

  async get(reference: ModuleReference): Promise<RecordDecoder> {
    const key = `${reference.url}#${reference.name} ${JSON.stringify(reference.options)}`;
    let decoder = this.#made.get(key);
    if (decoder === undefined) {
      decoder = await instantiate<RecordDecoder>(reference);
      this.#made.set(key, decoder);
    }
    return decoder;
  }
}

/** An instance of the class that a reference names. */
export async function instantiate<T>({ url, name, options }: ModuleReference, log?: Logger): Promise<T> {
  const exports = (await import(url)) as Record<string, new (options: unknown, log: Logger | undefined) => T>;
  const Class = exports[name];
  if (Class === undefined) throw new Error(`${url} has no export ${name}`);
  return new Class(options, log);
}
