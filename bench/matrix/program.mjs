import { fileURLToPath } from 'node:url';
import { conditionCode } from './conditions.mjs';
import { hasQuotes } from './data.mjs';
import { Fields } from './fields.mjs';
import * as helpers from './helpers.mjs';
import { addSourceFields, readerCode, refusalCode } from './reader.mjs';
import { stages } from './stages/index.mjs';
import { tableQuery } from './table.mjs';
import { writerCode } from './writer.mjs';

const here = (name) => fileURLToPath(new URL(`./${name}`, import.meta.url));

/** The variables and constants of one program. */
export class Program {
  alphabet;
  variables = [];
  constants = [];

  constructor({ data }) {
    this.alphabet = data.alphabet;
  }

  variable(name) {
    let variable = name;
    for (let i = 2; this.variables.includes(variable); i++) variable = `${name}_${i}`;
    this.variables.push(variable);
    return variable;
  }

  constant(code) {
    const at = this.constants.indexOf(code);
    return `K${at >= 0 ? at : this.constants.push(code) - 1}`;
  }
}

/** Returns the fields of the documents at the start. */
export function sourceFields(job, program = new Program(job)) {
  const fields = new Fields(program);
  addSourceFields(fields, job);
  return fields;
}

/** Returns the code of one stage, and changes `fields` as the stage does. Throws `Unfit` if it cannot be written. */
export function stageCode({ class: name, conditions, ...params }, fields) {
  const { code } = stages[name];
  if (conditions === undefined) return code(params, fields);
  const when = conditionCode(conditions, fields);
  if (when === 'false') return '';
  if (when === 'true') return code(params, fields);
  const before = fields.clone();
  fields.conditional = true;
  const inside = code(params, fields);
  fields.conditional = false;
  return `if (${when}) {\n${inside}${fields.merge(before)}}\n`;
}

/**
 * Returns the code of the stages from an index on, and of the writer. Calls `atEnd` with the fields of written
 * documents.
 */
function pipelineCode(list, at, fields, atEnd) {
  if (at === list.length) return atEnd(fields);
  const stage = list[at];
  if (stage.class === 'DropDocument') {
    return `if (!(${conditionCode(stage.conditions, fields)})) {\n${pipelineCode(list, at + 1, fields, atEnd)}}\n`;
  }
  if (stage.class === 'SkipDocument') {
    const when = conditionCode(stage.conditions, fields);
    const skipped = pipelineCode(list, list.length, fields.clone(), atEnd);
    return `if (${when}) {\n${skipped}} else {\n${pipelineCode(list, at + 1, fields, atEnd)}}\n`;
  }
  if (stage.class === 'CreateChildrenStage' || stage.class === 'EmitNestedChildren') {
    const children = childrenCode(stage, fields, (child) => pipelineCode(list, at + 1, child, atEnd));
    return children + pipelineCode(list, at + 1, fields, atEnd);
  }
  const code = stageCode(stage, fields);
  return code + pipelineCode(list, at + 1, fields, atEnd);
}

/** Returns the code of the children before their document. `rest` returns the code after them. */
function childrenCode(stage, fields, rest) {
  const id = fields.get('id').variable;
  const attached = fields.get('___children')?.variable;
  fields.remove('___children');
  let code = '';
  for (const number of [1, 2]) {
    const child = fields.clone();
    child.list = [];
    const set = (name, value) => {
      code += `${child.add(name, 'text').variable} = ${value};\n`;
    };
    if (stage.class === 'CreateChildrenStage') set('id', `${id} + '_child${number}'`);
    else {
      for (const name of ['id', 'title']) set(name, `${attached}[${number - 1}].${name}`);
      for (const [source, dest] of Object.entries(stage.fieldsToCopy)) set(dest, fields.get(source).variable);
    }
    code += rest(child);
  }
  return code;
}

/** Returns the field names of documents at the end, which are the columns of the CSV output. Throws `Unfit`. */
export function fieldsAtEnd(job) {
  const names = new Set();
  pipelineCode(job.stages, 0, sourceFields(job), (fields) => {
    for (const { name } of fields.list) names.add(name);
    return '';
  });
  return [...names];
}

/** Returns the source of the program by hand: it reads the file and writes the output of a job. */
export function programOf(job, { data, database, rows, out, bulk }) {
  const program = new Program(job);
  const fields = sourceFields(job, program);
  const source = fields.list.map((field) => ({ ...field }));
  const work = pipelineCode(job.stages, 0, fields, (end) => writerCode(job.sink, end, job.columns));
  const words = new Set(work.match(/[A-Za-z_]\w*/g));
  const read = readerCode(job, source, (variable) => words.has(variable), data);
  const readWords = new Set(read.match(/[A-Za-z_]\w*/g));
  const isUsed = (name) => words.has(name) || readWords.has(name);
  const { form, alphabet } = job.data;
  const options = {
    ...(form === 'table' ? { database, sql: tableQuery(rows) } : { data }),
    out,
    bulk,
    header: form === 'csv' || form === 'xml',
    ascii: alphabet === 'ascii',
    quotes: form === 'csv' && hasQuotes(job.data),
  };
  return `// ${job.name}
import { ${Object.keys(helpers).filter(isUsed).join(', ')} } from '${here('helpers.mjs')}';
import { run } from '${here(form === 'table' ? 'one-thread.mjs' : 'two-threads.mjs')}';

${program.constants.map((code, i) => `const K${i} = ${code};\n`).join('')}
let made;

await run({ program: import.meta.url, rows, ...${JSON.stringify(options)} });

function rows(text, first, output) {
${refusalCode(job)}  let record = first;
  let count = 0;
  let out = '';
  for (let at = 0; at < text.length; ) {
    let ${program.variables.filter(isUsed).join(', ')};
${read}${work}  }
  output.write(out);
  return count;
}
`;
}
