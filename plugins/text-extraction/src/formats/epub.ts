import { posix } from 'node:path';
import type { FormatReader } from './format.ts';
import { addHtml } from './html.ts';
import { Pictures } from './pictures.ts';
import { readXml, xmlTexts } from './xml.ts';
import { readZip } from './zip.ts';

/** The types of images that OCR reads. */
const IMAGE_TYPE = /^image\/(png|jpeg|gif|bmp|tiff|webp)$/;

/** Reads electronic books, in the order of their chapters. */
export const readEpub: FormatReader = async ({ bytes, budget }, to) => {
  const entries = await readZip(bytes, budget);
  const entry = (name: string) => entries.find((one) => one.name === name);
  let packagePath: string | undefined;
  const container = await entry('META-INF/container.xml')?.read();
  if (container !== undefined) {
    readXml(container, {
      open: (name, attributes) => {
        if (name === 'rootfile') packagePath ??= attributes.get('full-path');
      },
    });
  }
  const book = packagePath === undefined ? undefined : await entry(packagePath)?.read();
  if (packagePath === undefined || book === undefined) throw new Error('it has no list of chapters');
  const texts = xmlTexts(book);
  for (const name of ['title', 'creator', 'subject', 'description', 'language', 'publisher', 'identifier', 'rights']) {
    for (const text of texts.get(name) ?? []) to.describe(`dc:${name}`, text);
  }
  for (const text of texts.get('date') ?? []) to.describe('dcterms:created', text);
  const files = new Map<string, string>();
  const chapters: string[] = [];
  const images = new Map<string, string>();
  const pathOf = (link: string) => posix.join(posix.dirname(packagePath as string), decodeURIComponent(link));
  readXml(book, {
    open(name, attributes) {
      if (name === 'item') {
        const [link = '', type = ''] = [attributes.get('href'), attributes.get('media-type')];
        files.set(attributes.get('id') ?? '', link);
        if (IMAGE_TYPE.test(type)) images.set(link, type);
      } else if (name === 'itemref') chapters.push(attributes.get('idref') ?? '');
    },
  });
  const pictures = new Pictures(to, budget);
  for (const [i, id] of chapters.entries()) {
    const chapter = await entry(pathOf(files.get(id) ?? ''))?.read();
    if (chapter === undefined) continue;
    to.add({ kind: 'page', number: i + 1 });
    addHtml(new TextDecoder().decode(chapter), to, pictures);
  }
  if (!to.wantsImages) return;
  // A book may have its images in any folder.
  for (const [link, mediaType] of images) {
    const image = entry(pathOf(link));
    if (image !== undefined) to.addImage({ name: image.name, mediaType, bytes: await image.read() });
  }
};
