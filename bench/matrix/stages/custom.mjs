import { fileURLToPath } from 'node:url';
import { Unfit } from '../fields.mjs';
import { presence } from './values.mjs';

const module = fileURLToPath(new URL('../custom-stage.mjs', import.meta.url));

/** The class of the custom stage. */
export const CUSTOM_CLASS = `${module}#CountWords`;

/** A custom stage, and a stage that reads XML. See stages/index.mjs. */
export const customStages = {
  XPathExtractor: {
    forms: {
      'two elements': (draw) => {
        draw.pristine('xml');
        return { fieldMapping: { '/item/title': [draw.fresh()], '/item/tags': [draw.fresh()] }, xmlField: 'xml' };
      },
    },
    code({ fieldMapping }, fields) {
      const from = fields.get('xml');
      if (from?.pristine !== true) throw new Unfit();
      let code = '';
      for (const [path, [dest]] of Object.entries(fieldMapping)) {
        const name = path.split('/').at(-1);
        code += fields.write(dest, 'text', `elementText(${from.variable}, '<${name}>', '</${name}>')`);
      }
      return code;
    },
  },

  [CUSTOM_CLASS]: {
    forms: { one: (draw) => ({ field: draw.text(), dest: draw.fresh() }) },
    code({ field, dest }, fields) {
      const from = fields.get(field);
      return from === undefined ? '' : fields.write(dest, 'number', `countWords(${from.variable})`, presence(from));
    },
  },
};
