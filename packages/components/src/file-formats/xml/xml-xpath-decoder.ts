import type { ModuleReference } from '@headrace/engine';
import { XmlReader } from '@headrace/formats/xml/reader';
import { compileXPath, type XPath } from '@headrace/formats/xml/xpath';
import { XmlDecoder, type XmlDecoderOptions } from './xml-decoder.ts';

/** Decodes elements of XML files into documents. The result of an XPath expression is the id. */
export class XmlXPathDecoder extends XmlDecoder {
  readonly #xpath: XPath;
  readonly #reader = new XmlReader();

  constructor(options: XmlDecoderOptions) {
    super(options);
    this.#xpath = compileXPath(options.settings.xpathIdPath as string, options.settings.namespaces);
  }

  static override reference(options: XmlDecoderOptions): ModuleReference {
    return { url: import.meta.url, name: 'XmlXPathDecoder', options };
  }

  protected override idOf(_source: Buffer, xml: string): string {
    const { tree } = this.#reader.read(xml);
    // The expression is relative to the element, which is the first node after the document node.
    return this.#xpath.text(tree.node(1));
  }
}
