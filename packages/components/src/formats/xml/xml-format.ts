import { HeadraceError, type ModuleReference, type Publisher } from '@headrace/engine';
import { charsetDecoder } from '../../java/charset.ts';
import { type ByteSource, type SourceFile, utf8Bytes } from '../byte-source.ts';
import type { FormatContext } from '../format-context.ts';
import { Utf8Check } from '../utf8-check.ts';
import { XmlDecoder, type XmlPosition } from './xml-decoder.ts';
import { XmlRecordFinder } from './xml-record-finder.ts';
import { pathNames, type XmlSettings } from './xml-settings.ts';
import { splitXml } from './xml-splitter.ts';
import { XmlSyntaxError } from './xml-syntax-error.ts';

/**
 * Publishes the elements of XML files that stand at a path, each as a document. The run's thread cuts them out and
 * checks that the file is well-formed, the pipeline threads decode them.
 */
export class XmlFormat {
  private readonly settings: XmlSettings;
  private readonly docIdPrefix: string;
  private readonly log: FormatContext['log'];
  private decoder: ModuleReference | undefined;

  constructor(settings: XmlSettings, { docIdPrefix, log }: FormatContext) {
    this.settings = settings;
    this.docIdPrefix = docIdPrefix;
    this.log = log;
  }

  /**
   * Publishes the elements of a file; ends early when the publisher's signal is aborted. Throws `HR_SOURCE_UNREADABLE`
   * when the file cannot be read, and when it is not well-formed XML, after the elements before that place.
   */
  async publish(file: SourceFile, publisher: Publisher): Promise<void> {
    const { path } = file;
    const { xmlRootPath, xmlIdPath, encoding = 'utf-8' } = this.settings;
    const finder = new XmlRecordFinder(pathNames(xmlRootPath), xmlIdPath === undefined ? [] : pathNames(xmlIdPath));
    this.decoder ??= await decoderFor(this.settings, this.docIdPrefix);
    const check = new Utf8Check(path, this.log, 'set encoding to what the file is in, such as ISO-8859-1');
    try {
      for await (const part of splitXml(asUtf8(file, encoding), finder)) {
        if (publisher.signal.aborted) return;
        if (part.kind === 'records') {
          check.look(part.bytes, part.records);
          const position: XmlPosition = { path, records: part.records };
          await publisher.publishChunk({ bytes: part.bytes, decoder: this.decoder, position });
        } else {
          await publisher.reject({
            place: `${path}:${part.line}`,
            message: `the element is longer than ${part.limit} bytes`,
          });
        }
      }
    } catch (error) {
      if (!(error instanceof XmlSyntaxError)) throw error;
      throw new HeadraceError('HR_SOURCE_UNREADABLE', `${path}:${error.line}: not well-formed XML: ${error.message}`, {
        hint: `Mend the file there. It was read as ${encoding}, whatever it declares itself.`,
        cause: error,
      });
    }
  }
}

/** One pipeline thread's decoder serves all files: it must be the same reference. */
async function decoderFor(settings: XmlSettings, docIdPrefix: string): Promise<ModuleReference> {
  if (settings.xpathIdPath === undefined) return XmlDecoder.reference({ settings, docIdPrefix });
  const { XmlXPathDecoder } = await import('./xml-xpath-decoder.ts');
  return XmlXPathDecoder.reference({ settings, docIdPrefix });
}

/** The source as UTF-8 without byte-order mark. */
function asUtf8(file: SourceFile, encoding: string): ByteSource {
  return /^utf-?8$/i.test(encoding) ? utf8Bytes(file, 'Set encoding: utf-16.') : transcoded(file.bytes, encoding);
}

async function* transcoded(source: ByteSource, encoding: string): ByteSource {
  const decoder = charsetDecoder(encoding);
  if (decoder === undefined) throw new HeadraceError('HR_SOURCE_UNREADABLE', `The encoding "${encoding}" is not known`);
  for await (const piece of source) yield Buffer.from(decoder.decode(piece, true));
  yield Buffer.from(decoder.decode(new Uint8Array(), false));
}
