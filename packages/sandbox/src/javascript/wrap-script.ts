/** Inserted before the script, on its first line. */
const HEAD = '(function*(){for(;;){try{';
const STRICT_HEAD = '(function*(){"use strict";for(;;){try{';
const TAIL = '\n}catch($){yield{thrown:$};continue}yield}})';

/** A directive at the very start. */
const STRICT = /^\s*(?:"use strict"|'use strict')/;

/**
 * A script as a generator function that runs it once for each `next()`. As in global programs that run in sequence,
 * variables declared with `var` keep their value from document to document. Unlike there, `let`, `const` and `class`
 * are new for each. The engine compiles it once and optimizes it when it is hot, which it never does for programs of
 * global code.
 * Lines are those of the script, columns of its first line are `columnOffset` further.
 */
export function wrapScript(source: string): { readonly text: string; readonly columnOffset: number } {
  const head = STRICT.test(source) ? STRICT_HEAD : HEAD;
  return { text: head + source + TAIL, columnOffset: head.length };
}
