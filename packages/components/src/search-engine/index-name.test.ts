import { Document, readDocument } from '@headrace/engine';
import { describe, expect, it } from 'vitest';
import { checkIndexName, compileIndexName, isIndexTemplate } from './index-name.ts';

function nameFor(template: string, json: string): string {
  const compiled = compileIndexName(template);
  return typeof compiled === 'string' ? compiled : compiled(readDocument(json));
}

describe('an index name', () => {
  it.each(['logs', 'logs-2024.05.06', '.hidden', '<logs-{now/d}>', '<logs-{now/d{yyyy.MM.dd|+12:00}}>'])(
    'without placeholders, %s, is the same for every document',
    (name) => {
      expect(checkIndexName(name)).toEqual([]);
      expect(compileIndexName(name)).toBe(name);
      expect(isIndexTemplate(name)).toBe(false);
    },
  );

  it.each([
    ['logs-{date:yyyy.MM.dd}', '{"id":"1","date":"2024-05-06T23:59:59.999Z"}', 'logs-2024.05.06'],
    ['logs-{date:yyyy.MM.dd}', '{"id":"1","date":"2024-05-06T23:00:00-05:00"}', 'logs-2024.05.07'],
    ['logs-{@timestamp:yyyy.MM}', '{"id":"1","@timestamp":1700000000123}', 'logs-2023.11'],
    ["logs-{date:YYYY.'w'ww}", '{"id":"1","date":"2024-05-06"}', 'logs-2024.w19'],
    ['{tenant}-{kind}', '{"id":"1","tenant":"acme","kind":["book","film"]}', 'acme-book'],
    ['x-{year}', '{"id":"1","year":2024}', 'x-2024'],
    ['x-{a.b}', '{"id":"1","a.b":"c","a":{"b":"d"}}', 'x-c'],
    ['x-{kind|other}', '{"id":"1"}', 'x-other'],
    ['x-{kind|other}', '{"id":"1","kind":"Upper Case"}', 'x-other'],
    ['x-{kind|other}', '{"id":"1","kind":""}', 'x-other'],
    ['x-{date:yyyy|undated}', '{"id":"1","date":"soon"}', 'x-undated'],
    ['x-{now}', '{"id":"1","now":"here"}', 'x-here'],
  ])('%s of %s is %s', (template, json, name) => {
    expect(checkIndexName(template)).toEqual([]);
    expect(nameFor(template, json)).toBe(name);
  });

  it('contains the current date with the placeholder now', () => {
    const before = new Date().toISOString().slice(0, 10);
    const name = compileIndexName('x-{now:yyyy-MM-dd}') as (document: Document) => string;
    const days = [before, new Date().toISOString().slice(0, 10)].map((day) => `x-${day}`);
    expect(days).toContain(name(Document.create('1')));
  });

  it.each([
    ['x-{kind}', '{"id":"1"}', '{kind} in index has no value: the field kind is missing or empty'],
    ['x-{kind}', '{"id":"1","kind":null}', 'the field kind is missing or empty'],
    ['x-{kind}', '{"id":"1","kind":"A"}', '"A" is not in lower case'],
    ['x-{kind}', '{"id":"1","kind":"a/../_all"}', 'it has the character "/"'],
    ['{kind}', '{"id":"1","kind":"_all"}', 'index "_all", whose name is invalid: it begins with _'],
    ['{kind}', '{"id":"1","kind":".."}', 'index "..", whose name is invalid: it begins with a dot'],
    ['{kind}', '{"id":"1","kind":".kibana"}', 'index ".kibana", whose name is invalid: it begins with a dot'],
    ['x-{kind}', '{"id":"1","kind":"a\\u0000b"}', 'it has the character "\\u0000"'],
    ['x-{kind}', '{"id":"1","kind":"a\\ud800b"}', 'it has the character "\\ud800"'],
    ['{a}{b}', `{"id":"1","a":"${'é'.repeat(100)}","b":"${'é'.repeat(100)}"}`, 'it is longer than 255 bytes'],
    ['x-{date:yyyy}', '{"id":"1","date":"05/06/2024"}', 'contains "05/06/2024", which is neither a date in ISO form'],
    ['x-{date:yyyy}', '{"id":"1","date":2024}', 'contains "2024", which is neither a date'],
    ['x-{date:yyyy}', '{"id":"1","date":"20240506"}', 'contains "20240506", which is neither a date'],
    ['x-{date:yyyy}', '{"id":"1","date":1714979289}', 'contains "1714979289", which is neither a date'],
  ])('%s with the document %s fails the document', (template, json, reason) => {
    expect(() => nameFor(template, json)).toThrow(reason);
  });

  it.each([
    ['logs-{date:yyyy.MM.dd', 'The brace { at position 6 of index "logs-{date:yyyy.MM.dd" is not closed'],
    ['logs-date}', 'The brace } at position 10 of index "logs-date}" has no opening brace'],
    ['logs-{date:yyyy.bb}', 'Unknown pattern letter b'],
    ['logs-{date:}-{}', '{} at position 14 of index "logs-{date:}-{}" names no field'],
    ['logs-{date:}', '{date:} has an empty date pattern'],
    ['logs-{date:dd/MM}', '{date:dd/MM} produces parts such as "06/05", which are invalid'],
    ['logs-{date:MMM}', '{date:MMM} produces parts such as "May", which are invalid'],
    ['logs-{kind|}', 'has an empty default'],
    ['logs-{kind|No Kind}', 'The default in {kind|No Kind} is not permitted'],
    ['Logs-{kind}', '"Logs-" is not in lower case'],
    ['_{kind}', 'it begins with _'],
    ['a b', 'it has the character " "'],
    ['-x', 'it begins with -'],
    ['x'.repeat(256), 'it is longer than 255 bytes'],
  ])('%s is refused', (template, message) => {
    expect(checkIndexName(template)).toEqual(
      expect.arrayContaining([expect.objectContaining({ message: expect.stringContaining(message) })]),
    );
  });

  it('in upper case only causes a warning, because it may be an alias', () => {
    expect(checkIndexName('Logs')).toMatchObject([{ severity: 'warning', message: expect.stringContaining('alias') }]);
  });

  it.each([
    ['x-%{day}', 'Write {day}.'],
    ['x-%{[day]}', 'Write {day}.'],
    ['x-%{+yyyy.MM.dd}', 'Write {@timestamp:yyyy.MM.dd}, where @timestamp is the field with the date.'],
  ])('with the Logstash syntax %s causes a hint', (name, hint) => {
    expect(checkIndexName(name)).toMatchObject([{ message: expect.stringContaining('the syntax of Logstash'), hint }]);
  });
});
