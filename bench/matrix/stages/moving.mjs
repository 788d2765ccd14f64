// Stages that move, create and remove fields. See stages/index.mjs.
import { Unfit } from '../fields.mjs';
import { append, asList, firstText, presence, transform } from './values.mjs';

export const movingStages = {
  RenameFields: {
    forms: {
      'two fields': (draw) => ({ fieldMapping: { [draw.text()]: draw.fresh(), [draw.text()]: draw.fresh() } }),
      'onto a field': (draw) => ({ fieldMapping: draw.pair(), updateMode: 'overwrite' }),
      append: (draw) => ({ fieldMapping: draw.pair(), updateMode: 'append' }),
      skip: (draw) => ({ fieldMapping: draw.pair(), updateMode: 'skip' }),
    },
    code({ fieldMapping, updateMode = 'overwrite' }, fields) {
      let code = '';
      for (const [name, newName] of Object.entries(fieldMapping)) {
        const from = fields.get(name);
        if (from === undefined) continue;
        const to = fields.get(newName);
        if (to === undefined) {
          code += fields.rename(from, newName);
          continue;
        }
        if (updateMode === 'overwrite') code += fields.write(newName, from.kind, from.variable, presence(from));
        else if (updateMode === 'append') code += append(fields, to, from.kind, from.variable, presence(from));
        else if (to.optional) throw new Unfit();
        fields.remove(name);
      }
      return code;
    },
  },

  CopyFields: {
    forms: {
      'to a new field': (draw) => ({ fieldMapping: { [draw.any()]: draw.fresh() } }),
      'to two fields': (draw) => ({ fieldMapping: { [draw.text()]: [draw.fresh(), draw.fresh()] } }),
      overwrite: (draw) => ({ fieldMapping: draw.pair() }),
      append: (draw) => ({ fieldMapping: draw.pair(), updateMode: 'append' }),
      skip: (draw) => ({ fieldMapping: draw.pair(), updateMode: 'skip' }),
      nested: (draw) => {
        if (!draw.has('maker')) throw new Unfit();
        return { fieldMapping: { 'maker.name': draw.fresh(), 'maker.place.area': draw.fresh() }, isNested: true };
      },
    },
    code({ fieldMapping, updateMode = 'overwrite', isNested = false }, fields) {
      let code = '';
      for (const [source, dests] of Object.entries(fieldMapping)) {
        if (isNested && fields.get('maker') === undefined) continue;
        for (const dest of [dests].flat()) {
          code += isNested
            ? fields.write(dest, 'text', source)
            : transform(fields, source, dest, updateMode, (text) => text);
        }
      }
      return code;
    },
  },

  DeleteFields: {
    forms: {
      one: (draw) => ({ fields: [draw.text()] }),
      several: (draw) => ({ fields: [draw.text(), draw.any(), 'not_there'] }),
    },
    code(params, fields) {
      for (const name of params.fields) fields.remove(name);
      return '';
    },
  },

  Concatenate: {
    forms: {
      'two fields': (draw) => ({ dest: draw.fresh(), formatString: `{${draw.text()}}: {${draw.any()}}` }),
      'a field that is missing': (draw) => ({
        dest: draw.fresh(),
        formatString: `{${draw.text()}} ({not_there}, {nor_this:-none})`,
      }),
      'default values': (draw) => ({
        dest: draw.fresh(),
        formatString: `{${draw.any()}}/{not_there}`,
        defaultInputs: { not_there: 'unknown' },
      }),
      overwrite: (draw) => ({ dest: draw.text(), formatString: `{${draw.text()}}!` }),
      append: (draw) => ({ dest: draw.text(), formatString: `{${draw.text()}}+`, updateMode: 'append' }),
      skip: (draw) => ({ dest: draw.text(), formatString: `{${draw.text()}}?`, updateMode: 'skip' }),
    },
    code({ dest, formatString, defaultInputs = {}, updateMode = 'overwrite' }, fields) {
      const to = fields.get(dest);
      if (to?.optional) throw new Unfit();
      if (updateMode === 'skip' && to !== undefined) return '';
      const template = formatString.replace(/\{(.*?)(?::-(.*?))?\}/g, (all, name, fallback) => {
        const field = fields.get(name);
        const otherwise = JSON.stringify(defaultInputs[name] ?? fallback ?? all);
        return `\${${field === undefined ? otherwise : firstText(field, otherwise)}}`;
      });
      const text = `\`${template}\``;
      if (updateMode === 'append' && to !== undefined) return append(fields, to, 'text', text);
      return fields.write(dest, 'text', text);
    },
  },

  SetStaticValues: {
    forms: {
      'new fields': (draw) => ({ staticValues: { [draw.fresh()]: 'shop', [draw.fresh()]: 7 } }),
      'a list': (draw) => ({ staticValues: { [draw.fresh()]: ['one', 'two'] } }),
      overwrite: (draw) => ({ staticValues: { [draw.text()]: 'shop' } }),
      append: (draw) => ({ staticValues: { [draw.text()]: ['more', 'and more'] }, updateMode: 'append' }),
      skip: (draw) => ({ staticValues: { [draw.text()]: 'shop', [draw.fresh()]: 'new' }, updateMode: 'skip' }),
    },
    code({ staticValues, updateMode = 'overwrite' }, fields) {
      let code = '';
      for (const [name, value] of Object.entries(staticValues)) {
        const to = fields.get(name);
        const kind = Array.isArray(value) ? 'list' : typeof value === 'number' ? 'number' : 'text';
        const written = JSON.stringify(value);
        if (updateMode === 'overwrite' || to === undefined) code += fields.write(name, kind, written);
        else if (to.optional) throw new Unfit();
        else if (updateMode === 'append') code += append(fields, to, kind, written);
      }
      return code;
    },
  },

  Length: {
    forms: {
      'of a text and a list': (draw) => ({
        fieldMapping: { [draw.text()]: draw.fresh(), [draw.list()]: draw.fresh() },
      }),
      'of a missing field': (draw) => ({ fieldMapping: { not_there: draw.fresh() } }),
      overwrite: (draw) => ({ fieldMapping: { [draw.any()]: draw.text() } }),
    },
    code({ fieldMapping }, fields) {
      let code = '';
      for (const [source, dest] of Object.entries(fieldMapping)) {
        const from = fields.get(source);
        const counts = { list: `${from?.variable}.length`, either: `lengthOf(${from?.variable})` };
        const count = from === undefined ? '0' : (counts[from.kind] ?? '1');
        code += fields.write(dest, 'number', from?.optional ? `${presence(from)} ? ${count} : 0` : count);
      }
      return code;
    },
  },

  RemoveEmptyFields: {
    forms: { all: () => ({}) },
    code(_params, fields) {
      let code = '';
      for (const field of fields.list) {
        const { name, variable, kind } = field;
        if (['id', 'source', 'filename'].includes(name) || kind === 'number' || kind === 'object') continue;
        const isEmpty = {
          text: `${variable} === ''`,
          list: `${variable}${field.optional ? '?' : ''}.every((value) => value === '')`,
        };
        code += `if (${isEmpty[kind] ?? `isEmpty(${variable})`}) ${variable} = undefined;\n`;
        field.optional = true;
      }
      return code;
    },
  },

  RemoveDuplicateValues: {
    forms: {
      'to another field': (draw) => ({ fieldMapping: { [draw.list()]: draw.fresh() } }),
      'in place': (draw) => {
        const name = draw.list();
        return { fieldMapping: { [name]: name } };
      },
    },
    code({ fieldMapping }, fields) {
      const [[source, dest]] = Object.entries(fieldMapping);
      const from = fields.get(source);
      if (from === undefined) return '';
      if (from.kind !== 'list' || from.optional || from.moving) throw new Unfit();
      const unique = `[...new Set(${from.variable})]`;
      if (source !== dest) return fields.write(dest, 'list', unique);
      // A list that becomes shorter moves to the end of the document.
      const shorter = fields.add(dest, 'list', { optional: true });
      from.optional = true;
      const size = `new Set(${from.variable}).size`;
      return `if (${size} < ${from.variable}.length) {\n${shorter.variable} = ${unique};\n${from.variable} = undefined;\n}\n`;
    },
  },

  DropValues: {
    forms: {
      'of a list': (draw) => ({ source: [draw.list()], values: ['lorem', '商品', 'nothing'] }),
      'of single values': (draw) => ({ source: [draw.text(), draw.text()], values: ['ipsum', ''] }),
    },
    code({ source, values }, fields) {
      const dropped = fields.constant(`new Set(${JSON.stringify(values)})`);
      let code = '';
      for (const name of source) {
        const field = fields.get(name);
        if (field === undefined) continue;
        const kept = `keptOf(${asList(field)}, ${dropped})`;
        code += fields.write(name, 'list', kept, presence(field) ?? `${field.variable} !== undefined`);
        field.kind = 'list';
        field.optional = true;
      }
      return code;
    },
  },

  HashFieldValueToBucket: {
    forms: {
      three: (draw) => ({ fieldName: 'id', dest: draw.fresh(), buckets: ['A', 'B', 'C'] }),
    },
    code({ dest, buckets }, fields) {
      const list = fields.constant(JSON.stringify(buckets));
      return fields.write(dest, 'text', `${list}[Math.abs(hashOf(${fields.get('id').variable}) % ${buckets.length})]`);
    },
  },
};
