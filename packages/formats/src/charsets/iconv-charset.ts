import { createRequire } from 'node:module';
import type { CharsetDecoder } from './charset-decoder.ts';

type IconvLite = typeof import('iconv-lite');

/** Names of iconv-lite for byte notations, which are not charsets. */
const NO_CHARSETS = new Set(['base64', 'hex', 'binary', 'utf7imap']);

let loaded: IconvLite | undefined;

/** Loads iconv-lite on first use. It must be synchronous, because the config check looks up charset names. */
function iconvLite(): IconvLite {
  loaded ??= createRequire(import.meta.url)('iconv-lite') as IconvLite;
  return loaded;
}

/**
 * Returns a decoder for a charset that iconv-lite knows, such as CP437, CP850 or UTF-32, or undefined for any other
 * name.
 */
export function iconvDecoder(name: string): CharsetDecoder | undefined {
  if (NO_CHARSETS.has(name.toLowerCase().replace(/[^a-z0-9]/g, ''))) return undefined;
  return iconvLite().encodingExists(name) ? new IconvDecoder(name) : undefined;
}

/** No byte below this is part of a longer character, in every charset with one to four bytes per character. */
const NEVER_INSIDE = 0x30;
/** The maximum number of held bytes. If none of them is a safe place to cut, the text is cut at the end. */
const MAX_HELD = 64 * 1024;

/**
 * Cuts bytes only where a character ends for certain. iconv-lite 0.7.3 loses a character if invalid bytes are cut in
 * two (`DBCSDecoder.write` allocates its buffer only for the new bytes).
 */
class IconvDecoder implements CharsetDecoder {
  readonly #name: string;
  #stream: ReturnType<IconvLite['getDecoder']> | undefined;
  #held = Buffer.alloc(0);

  constructor(name: string) {
    this.#name = name;
  }

  decode(bytes: Uint8Array, more: boolean): string {
    this.#stream ??= iconvLite().getDecoder(this.#name);
    const all = Buffer.concat([this.#held, bytes]);
    if (more) {
      const end = lastEnd(all);
      this.#held = all.subarray(end);
      return this.#stream.write(all.subarray(0, end));
    }
    const text = this.#stream.write(all) + (this.#stream.end() ?? '');
    this.#stream = undefined;
    this.#held = Buffer.alloc(0);
    return text;
  }
}

/** Returns the last position at which the bytes may be cut. */
function lastEnd(bytes: Buffer): number {
  const stop = Math.max(0, bytes.length - MAX_HELD);
  let end = bytes.length;
  while (end > stop && (bytes[end - 1] as number) >= NEVER_INSIDE) end--;
  return end === stop && stop > 0 ? bytes.length : end;
}
