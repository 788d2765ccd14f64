import { INDEX } from './paths.mjs';

/** The default number of documents in a bulk request. */
const BATCH = 100;

/** Returns code that counts a document and writes it, for its fields at the end. */
export function writerCode(sink, fields, columns) {
  return sinks[sink](fields, columns);
}

const sinks = {
  // The document must be used. Otherwise the compiler would remove the work.
  nop: (fields) => `made = ${literal(fields.list)};\ncount++;\n`,
  csv: (fields, columns) => {
    const cells = columns.map((name) => {
      const found = fields.list.filter((field) => field.name === name);
      return found.length > 1 ? `anyCell(${found.map(({ variable }) => variable).join(' ?? ')})` : cellCode(found[0]);
    });
    const parts = cells.filter((code) => code !== '').length === 0 ? "''" : joined(cells);
    return `out += ${parts} + '\\n';\n${counted()}`;
  },
  jsonl: (fields) => byOrder(fields.list, (list) => `out += JSON.stringify(${literal(list)}) + '\\n';\n`) + counted(),
  bulk: (fields) => {
    const id = fields.get('id').variable;
    const action = `'{"index":{"_id":' + JSON.stringify(${id}) + ',"_index":"${INDEX}"}}\\n'`;
    const write = (list) => `out += ${action} + JSON.stringify(${literal(list)}) + '\\n';\n`;
    const end = `if (++count % ${BATCH} === 0) {\noutput.write(out);\nout = '';\noutput.mark();\n}\n`;
    return byOrder(fields.list, write) + end;
  },
};

function counted() {
  return "count++;\nif (out.length > 16384) {\noutput.write(out);\nout = '';\n}\n";
}

function literal(list) {
  return `{ ${list.map(({ name, variable }) => (name === variable ? name : `${name}: ${variable}`)).join(', ')} }`;
}

/** Returns one literal for each possible order of the fields. */
function byOrder(list, write) {
  const first = list.find((field) => list.some((other) => other !== field && other.name === field.name));
  if (first === undefined) return write(list);
  const without = (dropped) => list.filter((field) => field !== dropped);
  const second = list.findLast(({ name }) => name === first.name);
  return `if (${first.variable} !== undefined) {\n${byOrder(without(second), write)}} else {\n${byOrder(without(first), write)}}\n`;
}

function cellCode(field) {
  if (field === undefined) return '';
  const { variable, kind, optional } = field;
  const cells = {
    text: `cell(${variable})`,
    number: `'"' + ${variable} + '"'`,
    list: `cell('[' + ${variable}.join(', ') + ']')`,
    object: `'""'`,
  };
  const code = cells[kind];
  if (code === undefined) return `anyCell(${variable})`;
  return optional ? `(${variable} === undefined ? '' : ${code})` : code;
}

function joined(cells) {
  return cells.map((code, i) => `${i > 0 ? `',' + ` : ''}${code === '' ? "''" : code}`).join(' + ');
}
