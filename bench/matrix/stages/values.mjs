// Code for values of the kinds that fields can have. See Fields.
import { Unfit } from '../fields.mjs';

/** Returns code that tests whether a field exists, or undefined if it always exists. */
export function presence({ variable, optional }) {
  return optional ? `${variable} !== undefined` : undefined;
}

/** Returns code for the values of a field as a list. */
export function asList({ variable, kind }) {
  if (kind === 'list') return variable;
  return kind === 'either' ? `asList(${variable})` : `[${variable}]`;
}

/** Returns code for the first value of a field as a text. */
export function firstText({ variable, kind, optional }, otherwise) {
  if (kind === 'object' || kind === 'any') throw new Unfit();
  const texts = { text: variable, list: `${variable}${optional ? '?.' : ''}[0]`, either: `firstOf(${variable})` };
  const text = kind === 'number' ? `String(${variable})` : texts[kind];
  if (!optional) return text;
  return kind === 'number' ? `(${variable} === undefined ? ${otherwise} : ${text})` : `(${text} ?? ${otherwise})`;
}

/** Returns code that tests whether a value of a field passes a test. The test is a function that returns code. */
export function someValue({ variable, kind, optional }, test) {
  const codes = {
    text: () => test(variable),
    number: () => test(`String(${variable})`),
    list: () => `${variable}.some((value) => ${test('value')})`,
    either: () => `asList(${variable}).some((value) => ${test('value')})`,
  };
  if (codes[kind] === undefined) throw new Unfit();
  return optional ? `(${variable} !== undefined && ${codes[kind]()})` : `(${codes[kind]()})`;
}

/**
 * Returns code that changes the texts of a field and writes them to a field, as most stages do. A list of one value
 * becomes that value.
 *
 * @param change returns the code of the changed text for the code of a text
 */
export function transform(fields, source, dest, mode, change) {
  const from = fields.get(source);
  if (from === undefined) return '';
  const to = fields.get(dest);
  if (mode === 'skip' && to !== undefined) {
    if (to.optional && to !== from) throw new Unfit();
    return '';
  }
  const { variable, kind } = from;
  const codes = {
    text: () => ['text', change(variable)],
    number: () => ['text', change(`String(${variable})`)],
    list: () => ['either', listCode(variable, change)],
    either: () => ['either', `(typeof ${variable} === 'string' ? ${change(variable)} : ${listCode(variable, change)})`],
  };
  if (codes[kind] === undefined) throw new Unfit();
  const [made, code] = codes[kind]();
  if (mode === 'append' && to !== undefined) return append(fields, to, made, code, presence(from));
  return fields.write(dest, made, code, presence(from));
}

/** Returns code that adds values to an existing field. */
export function append(fields, to, kind, code, when) {
  if (to.kind === 'number' || to.kind === 'object' || to.kind === 'any') throw new Unfit();
  const added = { text: `${code}`, list: `...${code}`, either: `...asList(${code})` }[kind];
  return fields.write(to.name, 'list', `[${spread(to)}, ${added}]`, when);
}

function spread(field) {
  return field.kind === 'text' ? field.variable : `...${asList(field)}`;
}

function listCode(variable, change) {
  if (change('value') === 'value') return `(${variable}.length === 1 ? ${variable}[0] : ${variable})`;
  return `(${variable}.length === 1 ? ${change(`${variable}[0]`)} : ${variable}.map((value) => ${change('value')}))`;
}

/** Returns code of a regular expression. */
export function regexCode(pattern, flags) {
  return `/${pattern.replaceAll('/', '\\/')}/${flags}`;
}
