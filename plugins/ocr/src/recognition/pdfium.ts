import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { PDFiumLibrary } from '@hyzyla/pdfium';
import { HeadraceError } from 'headrace/engine';

/** What the library passes to its WebAssembly. The name is that of Emscripten; see docs/contributing/libraries.md. */
interface Imports {
  readonly env: { emscripten_resize_heap?: (bytes: number) => boolean };
}

/** The parts of WebAssembly that are used here. The types of Node omit them. */
interface Assembly {
  instantiate(binary: Uint8Array, imports: Imports): Promise<{ readonly instance: object }>;
}

/**
 * Opens PDFium. It asks before its memory grows, because an image in a page may need much more than the page.
 * Rejects if the library is a version whose memory cannot be limited.
 * @param mayGrow returns whether the library may have so many bytes; if not, it omits what needs them
 */
export async function openPdfium(mayGrow: (bytes: number) => boolean): Promise<PDFiumLibrary> {
  const [{ PDFiumLibrary }, binary] = await Promise.all([
    import('@hyzyla/pdfium'),
    readFile(fileURLToPath(import.meta.resolve('@hyzyla/pdfium/pdfium.wasm'))),
  ]);
  const { promise: failed, reject } = Promise.withResolvers<never>();
  const instantiateWasm = (imports: Imports, done: (instance: object) => void) => {
    const grow = imports.env?.emscripten_resize_heap;
    if (grow === undefined) {
      reject(unlimited());
      return {};
    }
    imports.env.emscripten_resize_heap = (bytes) => mayGrow(bytes >>> 0) && grow(bytes);
    const { WebAssembly } = globalThis as unknown as { readonly WebAssembly: Assembly };
    WebAssembly.instantiate(binary, imports).then(({ instance }) => done(instance), reject);
    return {};
  };
  return Promise.race([PDFiumLibrary.init({ instantiateWasm: instantiateWasm as never }), failed]);
}

function unlimited(): HeadraceError {
  return new HeadraceError('HR_LIBRARY_VERSION', 'The installed @hyzyla/pdfium has memory that cannot be limited', {
    hint: 'Run npm ls @hyzyla/pdfium, and remove what asks for another version than @headrace/ocr.',
  });
}
