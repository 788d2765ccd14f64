/** The text before the script, on its first line. */
const HEAD = '(function*(){for(;;){try{';
const STRICT_HEAD = '(function*(){"use strict";for(;;){try{';
const TAIL = '\n}catch($){yield{thrown:$};continue}yield}})';

/** Matches a directive at the very start. */
const STRICT = /^\s*(?:"use strict"|'use strict')/;

/**
 * Wraps a script in a generator function that runs it once for each `next()`. As in global programs that run in
 * sequence, `var` variables keep their value from document to document. Unlike there, `let`, `const` and `class` are
 * new for each document. The engine compiles the function once and optimizes it when it is hot, which it never does for
 * global code. Line numbers are those of the script. Columns of the first line are `columnOffset` further right.
 */
export function wrapScript(source: string): { readonly text: string; readonly columnOffset: number } {
  const head = STRICT.test(source) ? STRICT_HEAD : HEAD;
  return { text: head + source + TAIL, columnOffset: head.length };
}
