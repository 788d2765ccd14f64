// Stages that change texts and search them. See stages/index.mjs.
import { Unfit } from '../fields.mjs';
import { append, firstText, presence, regexCode, someValue, transform } from './values.mjs';

/** Returns the parameters of a stage with pairs of fields, in each update mode. */
function pairForms(params) {
  return {
    'in place': (draw) => inPlace([draw.text()], params),
    'several in place': (draw) => inPlace(draw.texts(2), params),
    'list in place': (draw) => inPlace([draw.list()], params),
    'to a new field': (draw) => ({ source: [draw.text()], dest: [draw.fresh()], ...params }),
    append: (draw) => ({ source: [draw.text()], dest: [draw.text()], ...params, updateMode: 'append' }),
    skip: (draw) => ({ source: [draw.text()], dest: [draw.text()], ...params, updateMode: 'skip' }),
  };
}

function inPlace(names, params) {
  return { source: names, dest: names, ...params };
}

function transformPairs({ source, dest, updateMode = 'overwrite' }, fields, change) {
  return source
    .map((name, i) => transform(fields, name, dest.length === 1 ? dest[0] : dest[i], updateMode, change))
    .join('');
}

export const textStages = {
  TrimWhitespace: {
    forms: {
      one: (draw) => ({ fields: [draw.text()] }),
      several: (draw) => ({ fields: [...draw.texts(2), 'not_there'] }),
      list: (draw) => ({ fields: [draw.list()] }),
    },
    code: (params, fields) =>
      params.fields.map((name) => transform(fields, name, name, 'overwrite', (text) => `${text}.trim()`)).join(''),
  },

  NormalizeText: {
    forms: {
      ...pairForms({ mode: 'lowercase' }),
      uppercase: (draw) => inPlace([draw.text()], { mode: 'uppercase' }),
      'title case': (draw) => inPlace([draw.text()], { mode: 'title_case' }),
      'sentence case': (draw) => inPlace([draw.text()], { mode: 'sentence_case' }),
    },
    code(params, fields) {
      const changes = {
        lowercase: (text) => `${text}.toLowerCase()`,
        uppercase: (text) => `${text}.toUpperCase()`,
        title_case: (text) => `titleCase(${text})`,
        sentence_case: (text) => `sentenceCase(${text})`,
      };
      return transformPairs(params, fields, changes[params.mode]);
    },
  },

  ReplacePatterns: {
    forms: {
      ...pairForms({ regex: ['[,;.!?]', '\\s+'], replacement: ' ' }),
      groups: (draw) => inPlace([draw.text()], { regex: ['(\\w+) (\\w+)'], replacement: '$2 $1' }),
      'remove, ignore case': (draw) => inPlace([draw.text()], { regex: ['ti'], replacement: '', ignoreCase: true }),
      literal: (draw) => inPlace([draw.text()], { regex: ['/'], replacement: ' > ', literal: true }),
    },
    code(params, fields) {
      const { regex, replacement, ignoreCase, literal } = params;
      const patterns = regex.map((pattern) =>
        literal ? JSON.stringify(pattern) : fields.constant(regexCode(pattern, ignoreCase ? 'gi' : 'g')),
      );
      const method = literal ? 'replaceAll' : 'replace';
      const calls = patterns.map((pattern) => `.${method}(${pattern}, ${JSON.stringify(replacement)})`).join('');
      return transformPairs(params, fields, (text) => text + calls);
    },
  },

  RemoveDiacritics: {
    forms: {
      'in place': (draw) => ({ source: draw.text() }),
      'to a new field': (draw) => ({ source: draw.text(), destination: draw.fresh() }),
      list: (draw) => ({ source: draw.list() }),
    },
    code: ({ source, destination = source }, fields) =>
      transform(fields, source, destination, 'overwrite', (text) => `withoutMarks(${text})`),
  },

  TruncateField: {
    forms: {
      'in place': (draw) => ({ source: draw.text(), maxSize: 12 }),
      'to a new field': (draw) => ({ source: draw.text(), maxSize: 30, destination: draw.fresh() }),
      list: (draw) => ({ source: draw.list(), maxSize: 3 }),
    },
    code({ source, maxSize, destination = source }, fields) {
      const change = (text) =>
        fields.alphabet === 'emoji' ? `truncated(${text}, ${maxSize})` : `${text}.slice(0, ${maxSize})`;
      return transform(fields, source, destination, 'overwrite', change);
    },
  },

  SplitFieldValues: {
    forms: {
      'at ";"': (draw) => split(draw.tags(';'), draw.fresh(), ';', true),
      'in place at ";"': (draw) => split(draw.tags(';'), 'tags', ';', false),
      'in place at ","': (draw) => split(draw.tags(','), 'tags', ',', true),
      'in place at "\\|"': (draw) => split(draw.tags('|'), 'tags', '\\|', true),
      'in place at "|"': (draw) => split(draw.pristine('tags'), 'tags', '|', true),
      'at blanks, trimmed': (draw) => split(draw.text(), draw.fresh(), ' ', true),
      'onto a field': (draw) => split(draw.text(), draw.text(), '/', true),
      'a list in place': (draw) => {
        const name = draw.list();
        return split(name, name, 'e', false);
      },
    },
    code({ inputField, outputField, delimiter, trimWhitespace }, fields) {
      const from = fields.get(inputField);
      if (from === undefined) return '';
      const characters = fields.alphabet === 'emoji' ? 'wholeCharactersOf' : 'charactersOf';
      const at = delimiter.includes('[')
        ? fields.constant(regexCode(delimiter, ''))
        : JSON.stringify(delimiter.replace('\\', ''));
      const pieces = (text) => (delimiter === '|' ? `${characters}(${text})` : `splitAt(${text}, ${at})`);
      const codes = {
        text: pieces(from.variable),
        list: `${from.variable}.flatMap((value) => ${pieces('value')})`,
        either: `asList(${from.variable}).flatMap((value) => ${pieces('value')})`,
      };
      if (codes[from.kind] === undefined) throw new Unfit();
      const made = codes[from.kind] + (trimWhitespace ? '.map((piece) => piece.trim())' : '');
      if (inputField === outputField) {
        fields.remove(inputField);
        return fields.write(outputField, 'list', made, presence(from));
      }
      const to = fields.get(outputField);
      return to === undefined
        ? fields.write(outputField, 'list', made, presence(from))
        : append(fields, to, 'list', made, presence(from));
    },
  },

  ApplyRegex: {
    forms: {
      'one group': (draw) => regex(draw.pristine('created'), draw.fresh(), '^(\\d{4})-'),
      'several groups': (draw) => regex(draw.pristine('created'), draw.fresh(), '^\\d{4}-(\\d\\d)-(\\d\\d)'),
      'no group, many matches': (draw) => regex(draw.text(), draw.fresh(), '[a-z]{5,}'),
      'of a list': (draw) => regex(draw.list(), draw.fresh(), '^[a-m]'),
      'ignore case': (draw) => ({ ...regex(draw.text(), draw.fresh(), 'LOREM|MUSIC'), ignoreCase: true }),
      overwrite: (draw) => regex(draw.text(), draw.text(), '[aeiou](\\w)'),
      append: (draw) => ({ ...regex(draw.text(), draw.text(), '(\\w)o'), updateMode: 'append' }),
      skip: (draw) => ({ ...regex(draw.text(), draw.text(), '(\\w)i'), updateMode: 'skip' }),
    },
    code({ source: [source], dest: [dest], regex, ignoreCase, updateMode = 'overwrite' }, fields) {
      const from = fields.get(source);
      if (from === undefined) return '';
      const to = fields.get(dest);
      if (updateMode === 'skip' && to !== undefined && !to.optional) return '';
      if (to?.optional) throw new Unfit();
      const group = /(?<!\\)\(/.test(regex) ? 1 : 0;
      const found = fields.add(`${dest}_found`, 'either', { optional: true });
      fields.remove(found.name);
      const one = regex.startsWith('^') && from.kind === 'text';
      const pattern = fields.constant(regexCode(regex, `${one ? '' : 'g'}${ignoreCase ? 'i' : ''}`));
      const searches = {
        text: one
          ? `${pattern}.exec(${from.variable})?.[${group}]`
          : `findAll([${from.variable}], ${pattern}, ${group})`,
        list: `findAll(${from.variable}, ${pattern}, ${group})`,
        either: `findAll(asList(${from.variable}), ${pattern}, ${group})`,
      };
      if (searches[from.kind] === undefined) throw new Unfit();
      const kind = one ? 'text' : 'either';
      const search = from.optional ? `${presence(from)} ? ${searches[from.kind]} : undefined` : searches[from.kind];
      const code = `${found.variable} = ${search};\n`;
      const when = `${found.variable} !== undefined`;
      if (updateMode === 'append' && to !== undefined) return code + append(fields, to, kind, found.variable, when);
      return code + fields.write(dest, kind, found.variable, when);
    },
  },

  Contains: {
    forms: {
      'one field': (draw) => contains([draw.text()], draw.fresh()),
      'several fields': (draw) => contains([...draw.texts(2), draw.list()], draw.fresh()),
      'letter case': (draw) => ({ ...contains([draw.text()], draw.fresh()), ignoreCase: false }),
    },
    code({ contains: words, fields: names, output, value, ignoreCase = true }, fields) {
      const pattern = fields.constant(`/(?<!\\p{L})(?:${words.join('|')})(?!\\p{L})/u${ignoreCase ? 'i' : ''}`);
      const present = names.map((name) => fields.get(name)).filter((field) => field !== undefined);
      const found = present.map((field) => someValue(field, (text) => `${pattern}.test(${text})`)).join(' || ');
      return found === '' ? '' : fields.write(output, 'text', JSON.stringify(value), found);
    },
  },

  ExtractFirstCharacter: {
    forms: {
      'to a new field': (draw) => ({ fieldMapping: { [draw.text()]: draw.fresh() } }),
      'of a list': (draw) => ({ fieldMapping: { [draw.list()]: draw.fresh() }, replacement: '#' }),
      skip: (draw) => ({ fieldMapping: { [draw.text()]: draw.fresh() }, replacement: 'SKIP' }),
    },
    code({ fieldMapping, replacement = 'nonalpha' }, fields) {
      const [[source, dest]] = Object.entries(fieldMapping);
      const from = fields.get(source);
      if (from === undefined) return '';
      const otherwise = replacement === 'SKIP' ? 'undefined' : JSON.stringify(replacement);
      const first = `firstLetter(${firstText(from, "''")}, ${otherwise})`;
      const to = fields.write(dest, 'text', first);
      fields.get(dest).optional = true;
      return to;
    },
  },

  CreateStaticTeaser: {
    // Only in the variants of the nine-stage job.
    forms: {},
    code: ({ source: [source], dest: [dest], maxLength }, fields) =>
      transform(fields, source, dest, 'overwrite', (text) => `teaserOf(${text}, ${maxLength})`),
  },

  FormatDate: {
    // Only in the variants of the nine-stage job, with the beginning of the date.
    forms: {},
    code: ({ source: [source], dest: [dest], formatStr }, fields) =>
      transform(fields, source, dest, 'overwrite', (text) => `${text}.slice(0, ${formatStr.length})`),
  },

  DictionaryLookup: {
    // Only in the variants of the nine-stage job, with a dictionary that has every value.
    forms: {},
    code({ source: [source], dest: [dest], dictPath }, fields) {
      const lines = `process.getBuiltinModule('node:fs').readFileSync(${JSON.stringify(dictPath)}, 'utf8').trim().split('\\n')`;
      const map = fields.constant(`new Map(${lines}.map((line) => line.split(',')))`);
      return transform(fields, source, dest, 'overwrite', (text) => `${map}.get(${text})`);
    },
  },

  ParseDate: {
    forms: {
      'to a new field': (draw) => parseDate('created', draw.fresh(), "yyyy-MM-dd'T'HH:mm:ss"),
      'in place, a day': (draw) => parseDate('created', draw.pristine('created'), 'yyyy-MM-dd'),
      append: (draw) => ({ ...parseDate('created', draw.text(), 'yyyy-MM-dd'), updateMode: 'append' }),
    },
    code({ source: [source], dest: [dest], formatStrs: [format], updateMode = 'overwrite' }, fields) {
      const from = fields.get(source);
      if (from?.pristine !== true) throw new Unfit();
      const to = fields.get(dest);
      const day = format.length === 10;
      const code = day ? `\`\${${from.variable}.slice(0, 10)}T00:00:00Z\`` : from.variable;
      if (updateMode === 'append' && to !== undefined) return append(fields, to, 'text', code);
      return fields.write(dest, 'text', code);
    },
  },
};

function split(inputField, outputField, delimiter, trimWhitespace) {
  return { inputField, outputField, delimiter, trimWhitespace };
}

function regex(source, dest, pattern) {
  return { source: [source], dest: [dest], regex: pattern };
}

function contains(names, output) {
  return { contains: ['ipsum', 'dolor', 'café', 'music'], fields: names, output, value: 'found' };
}

function parseDate(source, dest, format) {
  return { source: [source], dest: [dest], formatStrs: [format], timeZoneId: 'UTC' };
}
