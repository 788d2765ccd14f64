/** In front of the script, on its first line. */
const HEAD = '(function*(){for(;;){try{';
const STRICT_HEAD = '(function*(){"use strict";for(;;){try{';
const TAIL = '\n}catch($){yield{thrown:$};continue}yield}})';

/** A directive that stands at the very start. */
const STRICT = /^\s*(?:"use strict"|'use strict')/;

/**
 * A script as a function that runs it once for each `next()`. As in one global program after another, what `var`
 * declares lives on from document to document; unlike there, `let`, `const` and `class` are new for each. The engine
 * compiles it once, and makes it fast once it is hot, which programs of global code never are.
 *
 * Lines are those of the script, columns of its first line are `columnOffset` further.
 */
export function wrapScript(source: string): { readonly text: string; readonly columnOffset: number } {
  const head = STRICT.test(source) ? STRICT_HEAD : HEAD;
  return { text: head + source + TAIL, columnOffset: head.length };
}
