import { EncryptedFile, type FormatReader } from './format.ts';

/** The parts of SheetJS that read OLE files. Its types omit them. */
interface OleLibrary {
  read(bytes: Uint8Array, options: { type: 'array' }): OleContainer;
  write(container: OleContainer, options: { type: 'array' }): Uint8Array;
  utils: { cfb_new(): OleContainer; cfb_add(container: OleContainer, path: string, content: Uint8Array): void };
}

interface OleContainer {
  readonly FullPaths: readonly string[];
  readonly FileIndex: readonly { readonly content?: Uint8Array | readonly number[]; readonly type: number }[];
}

/** Type of a directory entry: a stream, as opposed to a storage. */
const STREAM = 2;

/** The streams of an OLE file, the container of old Office files. */
export class OleFile {
  /** The streams by their path, such as `ObjectPool/_123/WordDocument`. */
  readonly streams = new Map<string, Uint8Array>();
  readonly #library: OleLibrary;

  private constructor(library: OleLibrary, bytes: Uint8Array) {
    this.#library = library;
    const { FullPaths, FileIndex } = library.read(bytes, { type: 'array' });
    for (const [i, entry] of FileIndex.entries()) {
      if (entry.type !== STREAM || entry.content === undefined) continue;
      const path = (FullPaths[i] ?? '').replace(/^[^/]*\//, '');
      this.streams.set(path, entry.content instanceof Uint8Array ? entry.content : Uint8Array.from(entry.content));
    }
  }

  static async open(bytes: Uint8Array): Promise<OleFile> {
    const { CFB } = (await import('@e965/xlsx')) as unknown as { CFB: OleLibrary };
    return new OleFile(CFB, bytes);
  }

  /** Returns a stream by its path. Some writers change the case of names. */
  stream(path: string): Uint8Array | undefined {
    const exact = this.streams.get(path);
    if (exact !== undefined) return exact;
    const wanted = path.toLowerCase();
    for (const [name, content] of this.streams) if (name.toLowerCase() === wanted) return content;
    return undefined;
  }

  /** Returns the embedded objects: each storage that contains a file. */
  embedded(): { name: string | undefined; bytes: Uint8Array }[] {
    const found: { name: string | undefined; bytes: Uint8Array }[] = [];
    const inside = new Set<string>();
    for (const [path, content] of this.streams) {
      const [, storage = '', stream = ''] = /^(?:(.*)\/)?([^/]*)$/.exec(path) ?? [];
      if ([...inside].some((outer) => storage === outer || storage.startsWith(`${outer}/`))) continue;
      if (stream === '\u0001Ole10Native') {
        const native = nativeFile(content);
        if (native !== undefined) found.push(native);
      } else if (/^(Package|Contents)$/i.test(stream)) {
        found.push({ name: undefined, bytes: content });
      } else if (storage !== '' && /^(WordDocument|Workbook|Book|PowerPoint Document)$/i.test(stream)) {
        inside.add(storage);
        found.push({ name: undefined, bytes: this.#copyOf(storage) });
      }
    }
    return found;
  }

  /** Returns a storage as an OLE file. */
  #copyOf(storage: string): Uint8Array {
    const { utils } = this.#library;
    const container = utils.cfb_new();
    for (const [path, content] of this.streams) {
      if (path.startsWith(`${storage}/`)) utils.cfb_add(container, path.slice(storage.length), content);
    }
    return Uint8Array.from(this.#library.write(container, { type: 'array' }));
  }
}

/** Returns the file in a stream Ole10Native: size, flags, label, path, a second path, size, and the bytes. */
function nativeFile(stream: Uint8Array): { name: string; bytes: Uint8Array } | undefined {
  const data = Buffer.from(stream.buffer, stream.byteOffset, stream.byteLength);
  let at = 6;
  const text = () => {
    const end = data.indexOf(0, at);
    if (end < 0) return undefined;
    const found = data.toString('latin1', at, end);
    at = end + 1;
    return found;
  };
  const label = text();
  if (label === undefined || text() === undefined) return undefined;
  at += 4;
  if (at + 4 > data.length) return undefined;
  at += 4 + data.readUInt32LE(at);
  if (at + 4 > data.length) return undefined;
  const size = data.readUInt32LE(at);
  return { name: label, bytes: data.subarray(at + 4, at + 4 + size) };
}

/** Returns the file in an object of the old kind that RTF embeds: a class, then the size and the bytes. */
export function embeddedFile(data: Buffer): { name: string | undefined; bytes: Uint8Array } | undefined {
  let at = 8;
  const texts: string[] = [];
  for (let i = 0; i < 3; i++) {
    if (at + 4 > data.length) return undefined;
    const size = data.readUInt32LE(at);
    texts.push(data.toString('latin1', at + 4, at + 4 + Math.max(0, size - 1)));
    at += 4 + size;
  }
  if (at + 4 > data.length) return undefined;
  const [kind] = texts;
  // A package has the form of the stream Ole10Native, which begins with its size too.
  if (kind === 'Package') return nativeFile(data.subarray(at));
  return { name: undefined, bytes: data.subarray(at + 4, at + 4 + data.readUInt32LE(at)) };
}

/** Reads OLE files of no other format: the objects that Office embeds. */
export const readOle: FormatReader = async ({ bytes, readInner }, to) => {
  const file = await OleFile.open(bytes);
  if (file.stream('EncryptedPackage') !== undefined) throw new EncryptedFile([]);
  for (const { name, bytes: inner } of file.embedded()) await readInner(inner, name, to);
};
