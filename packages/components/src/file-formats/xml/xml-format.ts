import { HeadraceError, type ModuleReference, type Publisher } from '@headrace/engine';
import { packRecords, splitXml, XmlRecordFinder, XmlSyntaxError } from '@headrace/formats/records/xml';
import type { SourceFile } from '../byte-source.ts';
import { isAuto } from '../encoding/encoding-settings.ts';
import { openText } from '../encoding/open-text.ts';
import type { FormatContext } from '../format-context.ts';
import { XmlDecoder, type XmlPosition } from './xml-decoder.ts';
import { pathNames, type XmlSettings } from './xml-settings.ts';

/**
 * Publishes the elements of XML files at a path, each as a document. The run thread cuts out the elements and checks
 * that the file is well-formed. The pipeline threads decode the elements.
 */
export class XmlFormat {
  readonly #settings: XmlSettings;
  readonly #context: FormatContext;
  #decoder: ModuleReference | undefined;

  constructor(settings: XmlSettings, context: FormatContext) {
    this.#settings = settings;
    this.#context = context;
  }

  /**
   * Publishes the elements of a file. Stops early if the publisher's signal is aborted.
   *
   * Throws `HR_SOURCE_UNREADABLE` if the file cannot be read. Also throws it if the file is not well-formed XML outside
   * its elements, and `HR_SOURCE_INCOMPLETE` if it ends inside an element, after the elements before the error.
   */
  async publish(file: SourceFile, publisher: Publisher): Promise<void> {
    const { path } = file;
    const { xmlRootPath, xmlIdPath, encoding } = this.#settings;
    const finder = new XmlRecordFinder(pathNames(xmlRootPath), xmlIdPath === undefined ? [] : pathNames(xmlIdPath));
    this.#decoder ??= await decoderFor(this.#settings, this.#context.docIdPrefix);
    const { bytes, invalid } = openText(file, this.#settings, this.#context, 'java', declaredEncoding);
    try {
      for await (const part of splitXml(bytes, finder)) {
        if (publisher.signal.aborted) return;
        if (part.kind === 'records') {
          invalid.look(part.bytes, part.records);
          const position: XmlPosition = { path, records: packRecords(part.records) };
          await publisher.publishChunk({ bytes: part.bytes, decoder: this.#decoder, position });
        } else if (part.kind === 'bad') {
          const where = part.error.line === part.line ? '' : ` (line ${part.error.line})`;
          const message = `the element is not well-formed XML: ${part.error.message}${where}`;
          await publisher.reject({ place: `${path}:${part.line}`, message });
        } else {
          await publisher.reject({
            place: `${path}:${part.line}`,
            message: `the element is longer than ${part.limit} bytes`,
          });
        }
      }
    } catch (error) {
      if (!(error instanceof XmlSyntaxError)) throw error;
      const code = error.endsEarly ? 'HR_SOURCE_INCOMPLETE' : 'HR_SOURCE_UNREADABLE';
      throw new HeadraceError(code, `${path}:${error.line}: not well-formed XML: ${error.message}`, {
        hint: `Correct the file there. It was read with encoding ${encoding}${isAuto(encoding) ? '' : ', regardless of its declaration'}.`,
        cause: error,
      });
    }
  }
}

/** Returns the reference of the decoder. All files share it, so a pipeline thread creates only one decoder. */
async function decoderFor(settings: XmlSettings, docIdPrefix: string): Promise<ModuleReference> {
  if (settings.xpathIdPath === undefined) return XmlDecoder.reference({ settings, docIdPrefix });
  const { XmlXPathDecoder } = await import('./xml-xpath-decoder.ts');
  return XmlXPathDecoder.reference({ settings, docIdPrefix });
}

/** Returns the encoding in the XML declaration at the beginning of a file. */
function declaredEncoding(head: string): string | undefined {
  return /^\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']([\w.:-]+)["']/.exec(head)?.[1];
}
