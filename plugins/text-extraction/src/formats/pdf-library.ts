import { registerHooks } from 'node:module';

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

let loading: Promise<typeof import('unpdf')> | undefined;

/**
 * Loads pdf.js. Files whose pages are in one flat list would need a time that grows with the square of the pages, so the
 * method that finds a page is replaced while the module is loaded.
 */
export function loadPdfLibrary(): Promise<typeof import('unpdf')> {
  loading ??= load();
  return loading;
}

async function load(): Promise<typeof import('unpdf')> {
  const hooks = registerHooks({
    load(url, context, nextLoad) {
      const module = nextLoad(url, context);
      return url.endsWith(MODULE) ? { ...module, source: withList(String(module.source)) } : module;
    },
  });
  try {
    // The first module would load the second one later, without the hook.
    await import('unpdf/pdfjs');
    return await import('unpdf');
  } finally {
    hooks.deregister();
  }
}

/** Returns the source of pdf.js with the list. Another version without the method is not changed. */
function withList(source: string): string {
  return source.split(FIND_PAGE).length === 2 ? source.replace(FIND_PAGE, FIND_IN_LIST) : source;
}
