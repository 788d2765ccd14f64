/**
 * The thread of Tesseract: that of the library, except that what Leptonica and Tesseract print becomes messages of its
 * progress. Otherwise it would appear on standard error, between the lines of the log. See
 * docs/contributing/libraries.md.
 */
import { createRequire } from 'node:module';
import { format } from 'node:util';
import { parentPort } from 'node:worker_threads';

/** A line that the engine has printed. The library passes it to its option `logger`. */
export interface PrintedLine {
  readonly printed: string;
}

const print = (...parts: unknown[]) =>
  parentPort?.postMessage({
    status: 'progress',
    data: { printed: format(...parts).trim() } satisfies PrintedLine,
  });
Object.assign(console, { log: print, info: print, warn: print, error: print, debug: print });

createRequire(import.meta.url)('tesseract.js/src/worker-script/node/index.js');
