import { customStages } from './custom.mjs';
import { movingStages } from './moving.mjs';
import { textStages } from './texts.mjs';

/**
 * The stages of the matrix, by class. Each has
 * - `forms`: by a name, functions that draw the parameters. They are given a `Drawer`.
 * - `code(params, fields)`: the same work as code of the program by hand. It changes `fields`, which say what the
 *   document holds, and throws `Unfit` if the program would not know the order of the fields.
 */
export const stages = { ...movingStages, ...textStages, ...customStages };
