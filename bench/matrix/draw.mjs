import { conditionCode } from './conditions.mjs';
import { Drawer } from './drawer.mjs';
import { Unfit } from './fields.mjs';
import { fieldsAtEnd, sourceFields, stageCode } from './program.mjs';
import { Random } from './random.mjs';
import { CUSTOM_CLASS } from './stages/custom.mjs';
import { stages } from './stages/index.mjs';

/** The kinds of conditions. They need the columns of a file with `grade`. */
const CONDITIONS = [
  { fields: ['grade'], values: ['1', '3', '5', '7', '9'] },
  { fields: ['grade'], values: ['0', '2'], operator: 'must_not' },
  { fields: ['tags'], operator: 'must' },
  { fields: ['not_there'], operator: 'must_not' },
  { fields: ['title', 'description'], values: ['[aeiou]r'], operator: 'matches' },
  { fields: ['price'], values: [500], operator: '>=' },
];

/** The properties in which jobs differ. Values that occur more than once are drawn more often. */
const DIMENSIONS = {
  form: ['csv', 'csv', 'csv', 'csv', 'csv', 'csv', 'csv', 'csv', 'json', 'json', 'nested', 'xml', 'table'],
  sink: ['nop', 'csv', 'jsonl', 'bulk'],
  alphabet: ['ascii', 'latin', 'cjk', 'emoji'],
  columns: [5, 10, 20, 20, 200],
  // Only for CSV files.
  quoting: [
    { quoted: false, inside: [] },
    { quoted: false, inside: [] },
    { quoted: true, inside: [] },
    { quoted: false, inside: ['commas'] },
    { quoted: true, inside: ['quotes', 'commas'] },
    { quoted: false, inside: ['breaks'] },
    { quoted: false, inside: ['quotes', 'commas', 'breaks'] },
  ],
  idField: [true, false, false, false],
  separator: [';', ';', '|', ','],
  long: [true, false, false, false, false],
  empty: [true, false, false],
  drop: [true, false, false],
  children: [true, false, false, false, false, false],
  custom: [true, false, false],
  condition: CONDITIONS,
};
const MANY = 1000;

/** Draws jobs until there are enough, and each form of each stage has occurred. */
export function drawJobs(seed, count) {
  const random = new Random(seed);
  const decks = new Decks(random);
  const forms = Object.entries(stages).flatMap(([name, stage]) => Object.keys(stage.forms).map((form) => [name, form]));
  // Forms that have not occurred yet are first.
  let queue = random.shuffled(forms);
  let left = queue.length;
  const jobs = [];
  while (jobs.length < count || left > 0) {
    if (jobs.length === MANY) throw new Error(`No job fits ${queue.slice(0, left).join('; ')}`);
    const { job, used } = drawJob(random, decks, queue, jobs.length + 1);
    const isUsed = (form) => used.includes(form);
    left -= queue.slice(0, left).filter(isUsed).length;
    queue = [...queue.filter((form) => !isUsed(form)), ...random.shuffled(queue.filter(isUsed))];
    jobs.push(job);
  }
  return jobs;
}

/** Draws values like cards, so that each occurs as often as in its list. */
class Decks {
  #random;
  #cards = {};

  constructor(random) {
    this.#random = random;
  }

  draw(dimension) {
    if (!this.#cards[dimension]?.length) this.#cards[dimension] = this.#random.shuffled(DIMENSIONS[dimension]);
    return this.#cards[dimension].pop();
  }
}

function drawJob(random, decks, queue, number) {
  const form = decks.draw('form');
  const sink = decks.draw('sink');
  const isCsv = form === 'csv';
  const isTable = form === 'table';
  const children = decks.draw('children');
  const data = {
    form,
    columns: isTable ? 10 : decks.draw('columns'),
    alphabet: isTable ? 'ascii' : decks.draw('alphabet'),
    ...(isCsv ? decks.draw('quoting') : DIMENSIONS.quoting[0]),
    long: !isTable && decks.draw('long'),
    empty: !isTable && decks.draw('empty'),
    separator: isTable ? ';' : decks.draw('separator'),
    grade: true,
    children: form === 'nested',
  };
  const idField = isCsv && decks.draw('idField') ? 'sku' : undefined;
  const special = { drop: form !== 'xml' && decks.draw('drop'), children, custom: decks.draw('custom') };
  for (;;) {
    const draft = new Draft(random, decks, { number, data, idField, sink, stages: [] });
    const used = draft.fill(queue, special);
    if (used !== undefined) return { job: draft.job, used };
  }
}

/** A job that is being drawn. */
class Draft {
  job;
  #random;
  #decks;
  #made = 0;

  constructor(random, decks, job) {
    this.#random = random;
    this.#decks = decks;
    this.job = job;
  }

  /** Adds stages. Returns the forms that were used, or undefined if the job does not fit. */
  fill(queue, special) {
    const { job } = this;
    const wanted = 3 + this.#random.below(7);
    const fields = sourceFields(job);
    const used = [];
    let { custom } = special;
    if (job.data.form === 'xml') this.#add(XML_STAGE, fields);
    for (const form of queue) {
      if (used.length === wanted) break;
      if (this.#tryForm(form, fields)) used.push(form);
      if (custom && used.length === wanted >> 1) custom = !this.#tryForm(CUSTOM, fields);
    }
    this.#addSpecial(special);
    try {
      job.columns = fieldsAtEnd(job);
    } catch (error) {
      if (!(error instanceof Unfit)) throw error;
      return undefined;
    }
    job.name = nameOf(job);
    return used;
  }

  #tryForm([name, form], fields) {
    const trial = fields.clone();
    const drawer = new Drawer(this.#random, trial, this.job.data, this.#made);
    try {
      const stage = { class: name, ...stages[name].forms[form](drawer) };
      if (this.#random.chance(0.25)) stage.conditions = [this.#decks.draw('condition')];
      this.#add(stage, trial);
    } catch (error) {
      if (!(error instanceof Unfit)) throw error;
      return false;
    }
    fields.list = trial.list;
    this.#made = drawer.made;
    return true;
  }

  #add(stage, fields) {
    if (stage.conditions !== undefined && conditionCode(stage.conditions, fields) === 'false') throw new Unfit();
    stageCode(stage, fields);
    this.job.stages.push(stage);
  }

  /** Adds stages for whole documents in the middle. */
  #addSpecial({ drop, children }) {
    const { stages: list, data } = this.job;
    const middle = list.length >> 1;
    if (drop) {
      const at = this.#random.pick([0, middle, list.length]);
      list.splice(at, 0, { class: 'DropDocument', conditions: [{ fields: ['grade'], values: ['3'] }] });
    }
    if (data.children) list.splice(middle, 0, { class: 'EmitNestedChildren', fieldsToCopy: { id: 'parent' } });
    else if (children) list.splice(middle, 0, { class: 'CreateChildrenStage', numChildren: 2 });
  }
}

/** Returns a short name that shows how the job differs from others. */
function nameOf({ number, data, idField, sink, stages: list }) {
  const has = (text) => list.some((stage) => stage.class.includes(text));
  const parts = [
    data.form,
    ...(data.form === 'table' ? [] : [`${data.columns} columns`, data.alphabet]),
    data.quoted ? 'quoted' : '',
    ...data.inside,
    data.long ? '4 KB' : '',
    data.empty ? 'empty' : '',
    idField === undefined ? '' : 'idField',
    `${list.length} stages`,
    has('#CountWords') ? 'custom' : '',
    has('DropDocument') ? 'drop' : '',
    has('Children') ? 'children' : '',
    sink,
  ];
  return `${String(number).padStart(2, '0')} ${parts.filter((part) => part !== '').join(', ')}`;
}

const XML_STAGE = { class: 'ApplyRegex', source: ['xml'], dest: ['title'], regex: '<title>(.*?)</title>' };
const CUSTOM = [CUSTOM_CLASS, 'one'];
