import { codeWork } from './by-hand-code.mjs';
import { fieldWork } from './by-hand-fields.mjs';
import { markupWork } from './by-hand-markup.mjs';
import { randomWork } from './by-hand-random.mjs';
import { structureWork } from './by-hand-structure.mjs';
import { textWork } from './by-hand-text.mjs';

/**
 * For each stage, by its name and perhaps a word after it, its parameters, and the same work written by hand: what
 * somebody would write in plain JavaScript who knows the fields of these documents and needs nothing else. Each entry is
 * a function of a directory for its files, and gives
 * - `params` of the stage;
 * - `byHand`, which changes a record (a plain object) and may return records that it makes;
 * - `fields`, if documents are to have others than the sample ones;
 * - `asMaps`, where records are better Maps, because fields are removed: a plain object becomes slow by that;
 * - `random`, if results cannot be the same; `trusted: false` for a script from an upload.
 */
export const stageWork = { ...fieldWork, ...textWork, ...structureWork, ...markupWork, ...codeWork, ...randomWork };
