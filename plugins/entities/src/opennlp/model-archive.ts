import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import yauzl, { type Entry, type ZipFile } from 'yauzl';

/** The most bytes that a file of a model may have after decompression. */
const MAX_BYTES = 2 ** 30;

/** The files of a model of OpenNLP, which is a zip archive. */
export class ModelArchive {
  readonly #files: ReadonlyMap<string, Buffer>;
  /** The properties in manifest.properties. */
  readonly properties: ReadonlyMap<string, string>;

  private constructor(files: ReadonlyMap<string, Buffer>) {
    this.#files = files;
    const manifest = files.get('manifest.properties')?.toString('latin1') ?? '';
    this.properties = new Map(manifest.split(/\r?\n/).flatMap(propertyOf));
  }

  /** Throws if the content is not a zip archive. */
  static async open(content: Buffer): Promise<ModelArchive> {
    const open = promisify<Buffer, yauzl.Options, ZipFile>(yauzl.fromBuffer);
    const zip = await open(content, { lazyEntries: true });
    const files = new Map<string, Buffer>();
    await new Promise<void>((resolve, reject) => {
      zip.on('entry', (entry: Entry) => {
        readEntry(zip, entry).then((file) => {
          files.set(entry.fileName, file);
          zip.readEntry();
        }, reject);
      });
      zip.on('end', resolve).on('error', reject);
      zip.readEntry();
    });
    return new ModelArchive(files);
  }

  get(name: string): Buffer | undefined {
    return this.#files.get(name);
  }

  /** Throws if the archive has no such file. */
  require(name: string): Buffer {
    const file = this.#files.get(name);
    if (file === undefined) throw new Error(`the model has no file ${name}: ${[...this.#files.keys()].join(', ')}`);
    return file;
  }
}

async function readEntry(zip: ZipFile, entry: Entry): Promise<Buffer> {
  if (entry.uncompressedSize > MAX_BYTES) throw new Error(`${entry.fileName} has more than 1 GB`);
  const open = promisify<Entry, NodeJS.ReadableStream>(zip.openReadStream.bind(zip));
  return buffer(await open(entry));
}

/** Reads a line of a properties file. Values of models contain no escapes but those of \ : = and of Unicode. */
function propertyOf(line: string): [string, string][] {
  const match = /^\s*([^#!=:\s][^=:\s]*)\s*[=:]\s*(.*)$/.exec(line);
  if (match === null) return [];
  const [, key = '', value = ''] = match;
  const text = value.replace(/\\u([\da-fA-F]{4})|\\(.)/g, (_, code: string | undefined, character: string) =>
    code === undefined ? character : String.fromCharCode(Number.parseInt(code, 16)),
  );
  return [[key, text]];
}
