import { Unfit } from './fields.mjs';

/** Chooses fields for the parameters of stages. Throws `Unfit` if there is no such field. */
export class Drawer {
  #random;
  #fields;
  #separator;
  #made;

  /** @param made the number of names that were already created in this job */
  constructor(random, fields, { separator }, made) {
    this.#random = random;
    this.#fields = fields;
    this.#separator = separator;
    this.#made = made;
  }

  get made() {
    return this.#made;
  }

  /** Returns a name that no field has. */
  fresh() {
    return `made_${++this.#made}`;
  }

  /** Returns a field with a text, if possible one that every document has. */
  text() {
    return this.texts(1)[0];
  }

  texts(count) {
    const all = this.#names(['text']);
    if (all.length < count) throw new Unfit();
    return all.slice(0, count);
  }

  /** Returns a field with a list, or with lists in some documents. */
  list() {
    const [name] = this.#names(['list', 'either']);
    if (name === undefined) throw new Unfit();
    return name;
  }

  /** Returns a field with texts, single or in a list. */
  any() {
    const [name] = this.#names(['text', 'list', 'either']);
    if (name === undefined) throw new Unfit();
    return name;
  }

  /** Returns a mapping from one text field to another. */
  pair() {
    const [from, to] = this.texts(2);
    return { [from]: to };
  }

  /** Returns this field, if no stage has changed it. */
  pristine(name) {
    if (this.#fields.get(name)?.pristine !== true) throw new Unfit();
    return name;
  }

  has(name) {
    return this.#fields.list.some((field) => field.name === name);
  }

  /** Returns the field with the tags, if they are a text with this separator. */
  tags(separator) {
    if (this.#separator !== separator) throw new Unfit();
    return this.pristine('tags');
  }

  #names(kinds) {
    const found = this.#fields.list.filter(({ name, kind }) => kinds.includes(kind) && !RESERVED.has(name));
    const names = this.#random.shuffled(found.filter(({ optional }) => !optional)).map(({ name }) => name);
    if (names.length > 0 && this.#random.chance(0.8)) return names;
    return this.#random.shuffled(found).map(({ name }) => name);
  }
}

/** Excludes `source` and `filename`, which are equal in all documents, and `grade`, which conditions use. */
const RESERVED = new Set(['id', 'source', 'filename', 'grade']);
