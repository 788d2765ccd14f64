import { readFileSync } from 'node:fs';
import { findPackageJSON, registerHooks } from 'node:module';

/** The version of the package unpdf, which contains pdf.js, whose source is changed below. See docs/contributing/libraries.md. */
const VERSION = '1.8.1';
/** The module of pdf.js in the package. */
const MODULE = '/unpdf/dist/pdfjs.mjs';
/** The method of pdf.js that finds a page by its number. It walks the tree of the pages from the start each time. */
const FIND_PAGE = 'async getPageDict(';

/**
 * Finds a page in a list of all pages, which is made once. A page that is missing in the list, or has an error there, is
 * found by walking, so damaged files are read as before.
 */
const FIND_IN_LIST = `async getPageDict(index) {
  this.listOfPages ??= this.getAllPageDicts().catch(() => new Map());
  const found = (await this.listOfPages).get(index);
  return found === undefined || found[0] instanceof Error ? this.walkToPage(index) : found;
}
async walkToPage(`;
/** How pdf.js orders the letters of an item. It does not know the forms of Arabic letters, and items are parts of lines. */
const ORDER_LETTERS = [
  'function runBidiTransform(e){let t=e.str.join(``);',
  'let n=bidi(t,-1,e.vertical);return{str:n.str,dir:n.dir,',
] as const;

/**
 * Keeps the letters from left to right, as they are on the page: pdf-direction.ts orders whole lines. Letters that are
 * one form on the page, such as Arabic lam and alef, are in reading order, so they are turned.
 */
const KEEP_ORDER = [
  'function runBidiTransform(e){let t=e.str.map(g=>g.length>1&&/[\\u0590-\\u08ff]/.test(g)?Array.from(g).reverse().join(``):g).join(``);',
  'return{str:t,dir:`ltr`,',
] as const;
/** An export that only the changed module has. */
const MARK = 'hasListOfPages';

/** The installed pdf.js is not the one that this plugin changes. No PDF file is read with it. */
export class UnsupportedPdfLibrary extends Error {
  readonly hint =
    `Run npm ls unpdf to see which package asks for another version, or remove the override of unpdf from package.json. Then run npm install unpdf@${VERSION}, and restart Headrace.`;
}

let loading: Promise<typeof import('unpdf')> | undefined;

/**
 * Loads pdf.js. Files whose pages are in one flat list would need a time that grows with the square of the pages, so the
 * method that finds a page is replaced while the module is loaded. Rejects with `UnsupportedPdfLibrary` if the installed
 * package is another one.
 */
export function loadPdfLibrary(): Promise<typeof import('unpdf')> {
  loading ??= load();
  return loading;
}

/** Throws `UnsupportedPdfLibrary` if the package is installed in another version. Does not load it. */
export function requirePdfLibrary(installed = installedVersion()): void {
  if (installed === VERSION) return;
  const found = installed === undefined ? 'it is not installed' : `version ${installed} is installed`;
  throw new UnsupportedPdfLibrary(`PDF files need the package unpdf in version ${VERSION}, and ${found}`);
}

/** Returns the source of pdf.js with the list. Throws `UnsupportedPdfLibrary` if the method is not there exactly once. */
export function withListOfPages(source: string): string {
  const methods = source.split(FIND_PAGE).length - 1;
  if (methods === 1) return `${source.replace(FIND_PAGE, FIND_IN_LIST)}\nexport const ${MARK} = true;\n`;
  throw new UnsupportedPdfLibrary(
    `The package unpdf ${VERSION} is not the published one: its pdf.js has the method getPageDict ${methods} times instead of once`,
  );
}

/** Returns the source of pdf.js without its order of letters. Throws `UnsupportedPdfLibrary` if that is not there. */
export function withVisualOrder(source: string): string {
  return ORDER_LETTERS.reduce((changed, part, i) => {
    if (changed.split(part).length === 2) return changed.replace(part, () => KEEP_ORDER[i] as string);
    throw new UnsupportedPdfLibrary(
      `The package unpdf ${VERSION} is not the published one: its pdf.js orders letters in another way`,
    );
  }, source);
}

async function load(): Promise<typeof import('unpdf')> {
  requirePdfLibrary();
  const hooks = registerHooks({
    load(url, context, nextLoad) {
      const module = nextLoad(url, context);
      return url.endsWith(MODULE)
        ? { ...module, source: withVisualOrder(withListOfPages(String(module.source))) }
        : module;
    },
  });
  try {
    // The first module would load the second one later, without the hook.
    if (!(MARK in (await import('unpdf/pdfjs'))))
      throw new UnsupportedPdfLibrary(
        `The package unpdf ${VERSION} has its pdf.js in another file than ${MODULE}, so it was loaded without the change of Headrace`,
      );
    return await import('unpdf');
  } finally {
    hooks.deregister();
  }
}

function installedVersion(): string | undefined {
  let manifest: string | undefined;
  try {
    manifest = findPackageJSON('unpdf', import.meta.url);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
  }
  if (manifest === undefined) return undefined;
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}
