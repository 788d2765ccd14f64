import { codeWork } from './by-hand-code.mjs';
import { fieldWork } from './by-hand-fields.mjs';
import { markupWork } from './by-hand-markup.mjs';
import { randomWork } from './by-hand-random.mjs';
import { structureWork } from './by-hand-structure.mjs';
import { textWork } from './by-hand-text.mjs';

/**
 * The work of each stage, by its name and an optional word: its parameters, and the same work written by hand. The work
 * by hand is plain JavaScript that a developer would write who knows the fields of these documents. Each entry is a
 * function that receives a folder for its files, and returns
 * - `params` of the stage;
 * - `byHand`, which changes a record (a plain object) and may return new records;
 * - `fields`, if the documents need fields that the sample ones lack;
 * - `asMaps`, if records should be Maps, because removing fields makes a plain object slow;
 * - `random`, if the results cannot be equal; `trusted: false` for a script from an upload.
 */
export const stageWork = { ...fieldWork, ...textWork, ...structureWork, ...markupWork, ...codeWork, ...randomWork };
