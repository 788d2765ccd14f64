import type { HtmlElement } from '../html-tree.ts';
import { trim } from '../trim.ts';
import type { Matcher } from './matchers.ts';
import type { SelectorReader } from './reader.ts';

const CONDITION = /^([^=]*?)(!=|\^=|\$=|\*=|~=|=)(.*)$/su;

/**
 * Reads the condition in brackets: `name`, `^prefix`, `name=value` and similar ones. Ignores letter case.
 */
export function attributeMatcher(reader: SelectorReader): Matcher {
  const condition = reader.balanced('[', ']', 'an attribute');
  const match = CONDITION.exec(condition);
  const name = trim(match?.[1] ?? condition).toLowerCase();
  if (name === '') throw reader.error('the name of an attribute is missing');
  if (match === null) {
    if (!name.startsWith('^')) return (element) => attributeValue(element, name) !== undefined;
    const prefix = name.slice(1);
    return (element) => element.attributes.some((attribute) => attribute.name.toLowerCase().startsWith(prefix));
  }
  const given = trim(match[3] as string);
  const operator = match[2] as string;
  if (operator === '~=') {
    const regex = reader.pattern(given);
    return (element) => {
      const value = attributeValue(element, name);
      return value !== undefined && regex.test(value);
    };
  }
  const quoted = /^(["']).*\1$/su.test(given) && given.length > 1;
  const inner = (quoted ? given.slice(1, -1) : given).toLowerCase();
  // For `^=` and `$=`, white space in quotes is part of the value.
  const wanted = quoted && (operator === '^=' || operator === '$=') ? inner : trim(inner);
  if (trim(inner) === '' && inner === '') throw reader.error(`the value of the attribute ${name} is missing`);
  const test = TESTS[operator] as (value: string, wanted: string) => boolean;
  const absent = operator === '!=';
  return (element) => {
    const value = attributeValue(element, name);
    return value === undefined ? absent : test(value.toLowerCase(), wanted);
  };
}

const TESTS: Readonly<Record<string, (value: string, wanted: string) => boolean>> = {
  '=': (value, wanted) => trim(value) === wanted,
  '!=': (value, wanted) => value !== wanted,
  '^=': (value, wanted) => value.startsWith(wanted),
  '$=': (value, wanted) => value.endsWith(wanted),
  '*=': (value, wanted) => value.includes(wanted),
};

/**
 * Returns the value of an attribute, or undefined if the element does not have it. With `abs:` before the name, only an
 * absolute URL counts, because there is no base address for relative ones.
 */
export function attributeValue(element: HtmlElement, name: string): string | undefined {
  if (!name.startsWith('abs:')) return element.attribute(name);
  const value = element.attribute(name.slice(4));
  return value !== undefined && URL.canParse(value) ? value : undefined;
}
