import { customStages } from './custom.mjs';
import { movingStages } from './moving.mjs';
import { textStages } from './texts.mjs';

/**
 * The stages of the matrix, by class. Each stage has
 * - `forms`: functions by name that draw the parameters. They receive a `Drawer`.
 * - `code(params, fields)`: returns the same work as code of the program by hand. It changes `fields`, which describe
 * the
 *   content of the document. It throws `Unfit` if the program would not know the order of the fields.
 */
export const stages = { ...movingStages, ...textStages, ...customStages };
