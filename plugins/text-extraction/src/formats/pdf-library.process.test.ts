import { registerHooks } from 'node:module';
import { describe, expect, it } from 'vitest';
import { flatPdf } from '../testing/flat-pdf.ts';
import {
  loadPdfLibrary,
  requirePdfLibrary,
  UnsupportedPdfLibrary,
  withListOfPages,
  withVisualOrder,
} from './pdf-library.ts';

/** Counts the calls of a method of pdf.js, by its name. */
const counts = new Map<string, number>();
Object.assign(globalThis, { countCall: (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1) });

it('walks once through the tree of the pages, not once for each page', async () => {
  const hooks = registerHooks({
    load(url, context, nextLoad) {
      const module = nextLoad(url, context);
      if (!url.endsWith('/pdfjs.mjs')) return module;
      const counted = (source: string, name: string) =>
        source.replace(new RegExp(`(async ${name}\\([^)]*\\)\\{)`), `$1countCall('${name}');`);
      return { ...module, source: ['getPageDict', 'getAllPageDicts'].reduce(counted, String(module.source)) };
    },
  });
  const { getDocumentProxy } = await loadPdfLibrary();
  hooks.deregister();
  const pdf = await getDocumentProxy(new Uint8Array(flatPdf(200)));
  const texts: string[] = [];
  for (let number = 1; number <= pdf.numPages; number++) {
    const { items } = await (await pdf.getPage(number)).getTextContent();
    texts.push(items.map((item) => ('str' in item ? item.str : '')).join(''));
  }
  await pdf.loadingTask.destroy();
  expect(texts).toEqual(Array.from({ length: 200 }, (_, i) => `Page ${i + 1}`));
  // What was getPageDict walks through the tree.
  expect(Object.fromEntries(counts)).toEqual({ getAllPageDicts: 1 });
});

describe('another pdf.js than the one that the plugin changes', () => {
  it('is refused by its version, with the command that installs the right one', () => {
    expect(() => requirePdfLibrary('1.8.2')).toThrow(
      expect.objectContaining({
        message: 'PDF files need the package unpdf in version 1.8.1, and version 1.8.2 is installed',
        hint: expect.stringContaining('npm install unpdf@1.8.1'),
      }),
    );
  });

  it.each([
    ['without the method', 'async getPage(e){}', 0],
    ['with two of them', 'async getPageDict(e){} async getPageDict(f){}', 2],
  ])('is refused %s, and never used as it is', (_, source, times) => {
    expect(() => withListOfPages(source)).toThrow(UnsupportedPdfLibrary);
    expect(() => withListOfPages(source)).toThrow(`has the method getPageDict ${times} times instead of once`);
  });

  it('is refused if it orders letters in another way', () => {
    expect(() => withVisualOrder('function runBidiTransform(e){}')).toThrow('its pdf.js orders letters in another way');
  });
});
