import type { Extraction } from '../blocks/blocks.ts';
import { readXml, xmlTexts } from './xml.ts';
import type { ZipEntry } from './zip.ts';

/** The elements of docProps/core.xml and docProps/app.xml, and the names of Tika. */
const PROPERTIES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    title: ['dc:title'],
    creator: ['dc:creator'],
    subject: ['dc:subject'],
    description: ['dc:description'],
    language: ['dc:language'],
    created: ['dcterms:created'],
    modified: ['dcterms:modified'],
    keywords: ['meta:keyword', 'dc:subject'],
    lastPrinted: ['meta:print-date'],
    category: ['cp:category'],
    lastModifiedBy: ['meta:last-author'],
    revision: ['cp:revision'],
    Application: ['extended-properties:Application'],
    AppVersion: ['extended-properties:AppVersion'],
    Company: ['extended-properties:Company', 'dc:publisher'],
    TotalTime: ['extended-properties:TotalTime'],
    PresentationFormat: ['extended-properties:PresentationFormat'],
    Notes: ['extended-properties:Notes'],
    Lines: ['meta:line-count'],
    CharactersWithSpaces: ['meta:character-count-with-spaces'],
    Manager: ['extended-properties:Manager'],
    Template: ['extended-properties:Template'],
    Pages: ['xmpTPg:NPages', 'meta:page-count'],
    Slides: ['xmpTPg:NPages', 'meta:slide-count'],
    Words: ['meta:word-count'],
    Characters: ['meta:character-count'],
    Paragraphs: ['meta:paragraph-count'],
  }),
);

/**
 * Reads the properties of a DOCX, XLSX or PPTX file.
 * @param without properties that the reader of the file knows better
 */
export async function readOfficeProperties(
  entries: readonly ZipEntry[],
  to: Extraction,
  without: readonly string[] = [],
): Promise<void> {
  for (const name of ['docProps/core.xml', 'docProps/app.xml']) {
    const entry = entries.find((one) => one.name === name);
    if (entry === undefined) continue;
    for (const [property, texts] of xmlTexts(await entry.read())) {
      if (without.includes(property)) continue;
      for (const key of PROPERTIES.get(property) ?? []) {
        for (const text of texts) to.describe(key, key.startsWith('dcterms:') ? text.replace(/\.0+Z$/, 'Z') : text);
      }
    }
  }
  const custom = entries.find((one) => one.name === 'docProps/custom.xml');
  if (custom === undefined) return;
  let name = '';
  readXml(await custom.read(), {
    open: (element, attributes) => {
      if (element === 'property') name = attributes.get('name') ?? '';
    },
    text: (text) => {
      if (name !== '') to.describe(`custom:${name}`, text);
    },
  });
}

/** The images in the media folders of a DOCX, XLSX or PPTX file, or the pictures of an ODF file. */
export async function readOfficeImages(entries: readonly ZipEntry[], to: Extraction): Promise<void> {
  if (!to.wantsImages) return;
  for (const entry of entries) {
    const [, extension = ''] =
      /(?:^|\/)(?:media|Pictures)\/[^/]+\.(png|jpe?g|gif|bmp|tiff?|webp)$/i.exec(entry.name) ?? [];
    if (extension === '') continue;
    const subtype = extension.toLowerCase().replace('jpg', 'jpeg').replace(/^tif$/, 'tiff');
    to.addImage({ name: entry.name, mediaType: `image/${subtype}`, bytes: await entry.read() });
  }
}
