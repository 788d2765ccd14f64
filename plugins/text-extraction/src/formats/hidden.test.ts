import { utils, write } from '@e965/xlsx';
import { zipOf } from '@headrace/testing/archives';
import { describe, expect, it } from 'vitest';
import { parsed } from '../testing/parsed.ts';
import { readOptions } from '../testing/read-options.ts';
import type { HiddenParts } from './format.ts';

async function textOf(file: Buffer, hidden: HiddenParts): Promise<string> {
  const { text, problem } = await parsed(file, { options: { ...readOptions, hidden }, format: 'markdown' });
  if (problem !== undefined) throw new Error(problem.message);
  return text;
}

/** Returns a workbook with a hidden row, a hidden column and a hidden sheet. */
function workbook(bookType: 'xlsx' | 'xlsb' | 'biff8'): Buffer {
  const sheet = utils.aoa_to_sheet([
    ['a', 'b', 'c'],
    ['d', 'e', 'f'],
  ]);
  sheet['!rows'] = [{}, { hidden: true }];
  sheet['!cols'] = [{}, { hidden: true }, {}];
  const book = utils.book_new(sheet, 'one');
  utils.book_append_sheet(book, utils.aoa_to_sheet([['g']]), 'two');
  book.Workbook = { Sheets: [{ Hidden: 0 }, { Hidden: 1 }] };
  return write(book, { type: 'buffer', bookType, cellStyles: true }) as Buffer;
}

describe.each(['xlsx', 'xlsb'] as const)('hidden rows, columns and sheets of a workbook in %s', (type) => {
  it.each([
    ['include', '## one\n\n| a | b | c |\n| --- | --- | --- |\n| d | e | f |\n\n## two\n\n| g |\n| --- |\n'],
    ['omit', '## one\n\n| a | c |\n| --- | --- |\n'],
    [
      'mark',
      '## one\n\n| a | [hidden: b] | c |\n| --- | --- | --- |\n| [hidden: d] | [hidden: e] | [hidden: f] |\n\n## [hidden: two]\n\n| g |\n| --- |\n',
    ],
  ] as const)('are read with hidden: %s', async (hidden, text) => {
    expect(await textOf(workbook(type), hidden)).toBe(text);
  });
});

it('omits hidden columns and sheets of an old workbook', async () => {
  // SheetJS writes no hidden rows into old workbooks.
  expect(await textOf(workbook('biff8'), 'omit')).toBe('## one\n\n| a | c |\n| --- | --- |\n| d | f |\n');
});

it('reads, marks or omits hidden rows, columns and sheets of OpenDocument', async () => {
  const row = (texts: readonly string[], attributes = '') =>
    `<t:table-row ${attributes}>${texts.map((text) => `<t:table-cell><x:p>${text}</x:p></t:table-cell>`).join('')}</t:table-row>`;
  const columns = '<t:table-column/><t:table-column t:visibility="collapse"/><t:table-column/>';
  const style = '<s:style s:name="h"><s:table-properties t:display="false"/></s:style>';
  const ods = zipOf([
    { name: 'mimetype', content: 'application/vnd.oasis.opendocument.spreadsheet' },
    {
      name: 'content.xml',
      content: `<o:document-content xmlns:o="o" xmlns:t="t" xmlns:x="x" xmlns:s="s"><o:automatic-styles>${style}</o:automatic-styles><o:body><o:spreadsheet><t:table t:name="one">${columns}${row(['a', 'b', 'c'])}${row(['d', 'e', 'f'], 't:visibility="filter"')}</t:table><t:table t:name="two" t:style-name="h">${row(['g'])}</t:table></o:spreadsheet></o:body></o:document-content>`,
    },
  ]);
  expect(await textOf(ods, 'include')).toContain('| d | e | f |\n\n## two\n\n| g |');
  expect(await textOf(ods, 'omit')).toBe('## one\n\n| a | c |\n| --- | --- |\n');
  expect(await textOf(ods, 'mark')).toContain('| [hidden: d] | [hidden: e] | [hidden: f] |\n\n## [hidden: two]\n');
});

function wordFile(body: string, styles = ''): Buffer {
  const main = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
  const type = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';
  return zipOf([
    {
      name: '[Content_Types].xml',
      content: `<Types><Override PartName="/word/document.xml" ContentType="${type}"/></Types>`,
    },
    { name: 'word/document.xml', content: `<w:document ${main}><w:body>${body}</w:body></w:document>` },
    { name: 'word/styles.xml', content: `<w:styles ${main}>${styles}</w:styles>` },
  ]);
}

it('reads, marks or omits hidden text of Word', async () => {
  const run = (text: string, properties = '') => `<w:r><w:rPr>${properties}</w:rPr><w:t>${text}</w:t></w:r>`;
  const file = wordFile(
    `<w:p>${run('Before')}${run(' one', '<w:vanish/>')}${run(' two', '<w:rStyle w:val="S"/>')}${run(' after', '<w:vanish w:val="0"/>')}</w:p>` +
      `<w:p><w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr>${run('Shown')}</w:p>`,
    '<w:style w:styleId="S"><w:rPr><w:vanish/></w:rPr></w:style>',
  );
  expect(await textOf(file, 'include')).toBe('Before one two after\n\nShown\n');
  expect(await textOf(file, 'omit')).toBe('Before after\n\nShown\n');
  expect(await textOf(file, 'mark')).toBe('Before[hidden:  one two] after\n\nShown\n');
});

it('reads text that was moved with tracked changes once, at its new place', async () => {
  const moved = '<w:r><w:t>A moved sentence.</w:t></w:r>';
  const file = wordFile(
    `<w:p><w:moveFrom w:id="1">${moved}</w:moveFrom></w:p><w:p><w:r><w:t>Between.</w:t></w:r></w:p><w:p><w:moveTo w:id="2">${moved}</w:moveTo></w:p>`,
  );
  expect(await textOf(file, 'include')).toBe('Between.\n\nA moved sentence.\n');
});
