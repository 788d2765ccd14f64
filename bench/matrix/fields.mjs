/** The error for a stage that does not fit the existing fields. Another stage is drawn instead. */
export class Unfit extends Error {}

/**
 * The fields of a document at one position of a pipeline, in order, as far as they are known before the job runs. A
 * field has a name, the variable of the program by hand, and the kind of its value. Kinds are `text`, `list` (texts,
 * not empty), `either` of both, `number` and `object`. A field may be missing in some documents. Two fields may have
 * the same name if each document has only one of them. The position of the field then depends on the document.
 */
export class Fields {
  #program;
  list;
  /** True if the code is inside an `if`. A field must not take over the variable of another one there. */
  conditional = false;

  constructor(program, list = []) {
    this.#program = program;
    this.list = list;
  }

  get alphabet() {
    return this.#program.alphabet;
  }

  clone() {
    return new Fields(
      this.#program,
      this.list.map((field) => ({ ...field })),
    );
  }

  /** Returns the field with this name, or undefined. */
  get(name) {
    const found = this.list.filter((field) => field.name === name);
    if (found.length > 1) throw new Unfit();
    return found[0];
  }

  /** Adds a field at the end. */
  add(name, kind, { optional = false, pristine = false } = {}) {
    const field = { name, variable: this.#program.variable(name), kind, optional, pristine };
    this.list.push(field);
    return field;
  }

  remove(name) {
    this.list = this.list.filter((field) => field.name !== name);
  }

  /** Returns the name of a constant with this code. */
  constant(code) {
    return this.#program.constant(code);
  }

  /**
   * Returns code that writes a value to a field, and creates the field if it is missing.
   *
   * @param when a code condition for the documents to change; undefined for all
   */
  write(name, kind, value, when) {
    const present = this.get(name);
    if (present === undefined) {
      const { variable } = this.add(name, kind, { optional: when !== undefined });
      return assign(variable, value, when);
    }
    // Documents without the field would get it at the end.
    if (present.optional && !when?.includes(`${present.variable} !== undefined`)) throw new Unfit();
    present.kind = when === undefined ? kind : commonKind(present.kind, kind);
    present.pristine = false;
    return assign(present.variable, value, when);
  }

  /** Returns code that renames a field. */
  rename(field, name) {
    this.list = this.list.filter((each) => each !== field);
    if (!this.conditional) {
      this.list.push({ ...field, name });
      return '';
    }
    const { variable } = this.add(name, field.kind, { optional: field.optional });
    return `${variable} = ${field.variable};\n`;
  }

  /** Merges the fields after an `if` with the fields of the other documents. Returns code for the end of the `if`. */
  merge(before) {
    let code = '';
    const old = before.list.map((field) => {
      const now = this.list.find(({ variable }) => variable === field.variable);
      if (now === undefined) {
        code += `${field.variable} = undefined;\n`;
        return { ...field, optional: true };
      }
      const kind = commonKind(field.kind, now.kind);
      return { ...now, kind, optional: field.optional || now.optional };
    });
    const isNew = ({ variable }) => !before.list.some((field) => field.variable === variable);
    const made = this.list.filter(isNew).map((field) => ({ ...field, optional: true }));
    this.list = [...old, ...made];
    return code;
  }
}

function commonKind(a, b) {
  if (a === b) return a;
  const texts = ['text', 'list', 'either'];
  return texts.includes(a) && texts.includes(b) ? 'either' : 'any';
}

function assign(variable, value, when) {
  return when === undefined ? `${variable} = ${value};\n` : `if (${when}) ${variable} = ${value};\n`;
}
