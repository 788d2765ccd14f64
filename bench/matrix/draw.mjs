import { conditionCode } from './conditions.mjs';
import { Drawer } from './drawer.mjs';
import { Unfit } from './fields.mjs';
import { fieldsAtEnd, sourceFields, stageCode } from './program.mjs';
import { Random } from './random.mjs';
import { stages } from './stages/index.mjs';

const FORMS = ['csv', 'csv', 'json', 'csv', 'csv', 'nested', 'csv', 'csv', 'xml', 'csv', 'csv'];
const SINKS = ['nop', 'csv', 'jsonl', 'bulk'];
const ALPHABETS = ['ascii', 'latin', 'cjk', 'emoji'];
const COLUMNS = [20, 5, 10, 200, 20];
const QUOTING = [
  { quoted: false, inside: [] },
  { quoted: true, inside: [] },
  { quoted: false, inside: ['commas'] },
  { quoted: true, inside: ['quotes', 'commas'] },
  { quoted: false, inside: ['breaks'] },
  { quoted: false, inside: ['quotes', 'commas', 'breaks'] },
  { quoted: false, inside: [] },
];
const SEPARATORS = [';', '|', ',', ';'];
const MANY = 1000;

/** How conditions select documents. They need the columns of a file with `grade`. */
const CONDITIONS = [
  { fields: ['grade'], values: ['1', '3', '5', '7', '9'] },
  { fields: ['grade'], values: ['0', '2'], operator: 'must_not' },
  { fields: ['tags'], operator: 'must' },
  { fields: ['not_there'], operator: 'must_not' },
  { fields: ['title', 'description'], values: ['[aeiou]r'], operator: 'matches' },
  { fields: ['price'], values: [500], operator: '>=' },
];

/** Draws jobs until there are so many and each form of each stage has occurred. */
export function drawJobs(seed, count) {
  const random = new Random(seed);
  const forms = Object.entries(stages).flatMap(([name, stage]) => Object.keys(stage.forms).map((form) => [name, form]));
  // Forms that have not occurred yet come first.
  let queue = random.shuffled(forms);
  let left = queue.length;
  const jobs = [];
  while (jobs.length < count || left > 0) {
    if (jobs.length === MANY) throw new Error(`No job fits ${queue.slice(0, left).join('; ')}`);
    const draft = new Draft(random, jobs.length);
    const used = draft.fill(queue);
    if (used === undefined) continue;
    const isUsed = (form) => used.includes(form);
    left -= queue.slice(0, left).filter(isUsed).length;
    queue = [...queue.filter((form) => !isUsed(form)), ...random.shuffled(queue.filter(isUsed))];
    jobs.push(draft.job);
  }
  return jobs;
}

/** A job that is being drawn. */
class Draft {
  job;
  #random;
  #number;
  #made = 0;

  constructor(random, number) {
    this.#random = random;
    this.#number = number;
    const turn = (list) => list[number % list.length];
    const form = turn(FORMS);
    const quoting = form === 'csv' ? QUOTING[Math.floor(number / 2) % QUOTING.length] : QUOTING[0];
    const data = {
      form,
      columns: turn(COLUMNS),
      alphabet: ALPHABETS[Math.floor(number / 3) % ALPHABETS.length],
      ...quoting,
      long: number % 6 === 4,
      empty: number % 3 === 1,
      separator: turn(SEPARATORS),
      grade: true,
    };
    const idField = form === 'csv' && number % 4 === 1 ? 'sku' : undefined;
    const sink = SINKS[(number + Math.floor(number / 4)) % SINKS.length];
    this.job = { data, idField, sink, stages: [] };
  }

  /** Adds stages. Returns the forms that were used; undefined if the job does not fit. */
  fill(queue) {
    const { job } = this;
    const wanted = 3 + this.#random.below(8);
    const fields = sourceFields(job);
    const used = [];
    if (job.data.form === 'xml') this.#add(XML_STAGE, fields);
    for (const form of queue) {
      if (used.length === wanted) break;
      if (this.#tryForm(form, fields)) used.push(form);
    }
    this.#addSpecial();
    try {
      job.columns = fieldsAtEnd(job);
    } catch (error) {
      if (!(error instanceof Unfit)) throw error;
      return undefined;
    }
    job.name = this.#name();
    return used;
  }

  #tryForm([name, form], fields) {
    const trial = fields.clone();
    const drawer = new Drawer(this.#random, trial, this.job.data, this.#made);
    try {
      const stage = { class: name, ...stages[name].forms[form](drawer) };
      if (this.#random.chance(0.25)) stage.conditions = [this.#random.pick(CONDITIONS)];
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

  /** A filter in each third job, and children in each seventh, somewhere in the middle. */
  #addSpecial() {
    const { stages: list, data } = this.job;
    const middle = Math.floor(list.length / 2);
    if (this.#number % 3 === 0 && data.form !== 'xml') {
      list.splice(this.#number % 2 === 0 ? 0 : middle, 0, {
        class: 'DropDocument',
        conditions: [{ fields: ['grade'], values: ['3'] }],
      });
    }
    if (this.#number % 7 === 2) list.splice(middle, 0, { class: 'CreateChildrenStage', numChildren: 2 });
  }

  #name() {
    const { data, idField, sink, stages: list } = this.job;
    const has = (name) => list.some((stage) => stage.class === name);
    const parts = [
      data.form,
      `${data.columns} columns`,
      data.alphabet,
      data.quoted ? 'quoted' : '',
      ...data.inside,
      data.long ? '4 KB' : '',
      data.empty ? 'empty' : '',
      idField === undefined ? '' : 'idField',
      `${list.length} stages`,
      list.some((stage) => stage.class.includes('#')) ? 'custom' : '',
      has('DropDocument') ? 'drop' : '',
      has('CreateChildrenStage') ? 'children' : '',
      sink,
    ];
    return `${String(this.#number + 1).padStart(2, '0')} ${parts.filter((part) => part !== '').join(', ')}`;
  }
}

const XML_STAGE = { class: 'ApplyRegex', source: ['xml'], dest: ['title'], regex: '<title>(.*?)</title>' };
