import { Unfit } from './fields.mjs';
import { regexCode, someValue } from './stages/values.mjs';

/** Returns code that tests the conditions of a document: `true` or `false` if all or no documents meet them. */
export function conditionCode(conditions, fields) {
  const codes = conditions.map((condition) => oneCode(condition, fields)).filter((code) => code !== 'true');
  if (codes.includes('false')) return 'false';
  return codes.length === 0 ? 'true' : codes.join(' && ');
}

function oneCode({ fields: names, values, operator = 'must' }, fields) {
  const found = names.map((name) => fields.get(name));
  if (values === undefined) return presenceCode(found, operator === 'must');
  const present = found.filter((field) => field !== undefined);
  const some = present.map((field) => testCode(field, operator, values, fields)).join(' || ');
  if (operator === 'must_not') return some === '' ? 'true' : `!(${some})`;
  return some === '' ? 'false' : `(${some})`;
}

function presenceCode(found, wanted) {
  if (found.some((field) => (field !== undefined && !field.optional) !== wanted && !field?.optional)) return 'false';
  const optional = found.filter((field) => field?.optional);
  if (optional.length === 0) return 'true';
  return optional.map(({ variable }) => `${variable} ${wanted ? '!==' : '==='} undefined`).join(' && ');
}

function testCode(field, operator, values, fields) {
  if (operator === 'matches') {
    const pattern = fields.constant(regexCode(values[0], 'u'));
    return someValue(field, (text) => `${pattern}.test(${text})`);
  }
  if (operator !== 'must' && operator !== 'must_not') {
    // The values are compared as numbers, because the column contains only numbers.
    if (!field.pristine) throw new Unfit();
    return `Number(${field.variable}) ${operator} ${values[0]}`;
  }
  if (values.length <= 3) {
    return someValue(field, (text) => values.map((value) => `${text} === ${JSON.stringify(value)}`).join(' || '));
  }
  const set = fields.constant(`new Set(${JSON.stringify(values)})`);
  return someValue(field, (text) => `${set}.has(${text})`);
}
