import { fileURLToPath } from 'node:url';
import { presence } from './values.mjs';

const module = fileURLToPath(new URL('../custom-stage.mjs', import.meta.url));

/** A stage of the user, and a stage that reads XML. See stages/index.mjs. */
export const customStages = {
  [`${module}#CountWords`]: {
    forms: { one: (draw) => ({ field: draw.text(), dest: draw.fresh() }) },
    code({ field, dest }, fields) {
      const from = fields.get(field);
      return from === undefined ? '' : fields.write(dest, 'number', `countWords(${from.variable})`, presence(from));
    },
  },
};
