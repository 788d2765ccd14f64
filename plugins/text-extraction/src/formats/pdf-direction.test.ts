import { describe, expect, it } from 'vitest';
import { Extraction } from '../blocks/blocks.ts';
import { parsed } from '../testing/parsed.ts';
import { pdfOf } from '../testing/pdf-of.ts';
import { reorderFor } from './pdf-direction.ts';
import { addPage } from './pdf-layout.ts';

async function logical(visual: string, isRtl = true): Promise<string> {
  const reorder = await reorderFor([{ text: visual, x: 0, y: 0, width: 0, size: 10, turned: false }]);
  return reorder(visual, isRtl);
}

/** Returns a text from left to right as a page shows it, for Hebrew without other letters. */
const shown = (text: string) => Array.from(text).reverse().join('');

describe('the text of a line from left to right', () => {
  it.each([
    ['Hebrew with brackets', ')אב( גד'.replace(/[()]/g, (c) => (c === '(' ? ')' : '(')), 'דג (בא)'],
    ['Hebrew with brackets that the file names by their meaning', ')בא(', '(אב)'],
    [
      'Hebrew with a Latin name and a number',
      `1,250 ${shown('במחיר')} .Acme Corp ${shown('של')} 25`,
      '25 של Acme Corp. במחיר 1,250',
    ],
    ['forms of Arabic letters', 'ﺔﻴﺑﺮﻌﻟﺍ', 'العربية'],
    ['a ligature of Arabic letters', 'ﻡﻼﺳ', 'سلام'],
    [
      'Arabic with a date and a percentage',
      `%45 ${shown('بنسبة')} 12/05/2024 ${shown('في')}`,
      'في 12/05/2024 بنسبة 45%',
    ],
    ['an emoji', `😀 ${shown('שלום')}`, 'שלום 😀'],
    ['Hebrew points', shown('שָׁלוֹם'), 'שָׁלוֹם'],
    [
      'Hebrew points that the file has before their letters',
      Array.from('שָׁלוֹם')
        .reverse()
        .join('')
        .replace(/(\p{Mn}+)(\p{L})/gu, '$2$1'),
      'שָׁלוֹם',
    ],
  ])('is read in order: %s', async (_, visual, text) => {
    expect((await logical(visual)).normalize('NFC')).toBe(text.normalize('NFC'));
  });

  it('keeps a line from left to right with a word in Hebrew', async () => {
    expect(await logical(`The word ${shown('שלום')} means peace (${shown('היום')}).`, false)).toBe(
      'The word שלום means peace (היום).',
    );
  });

  it('has ordinary letters instead of ligatures', async () => {
    expect(await logical('eﬃcient ﬁle x² ½', false)).toBe('efficient file x² ½');
  });
});

/** Returns a PDF file that draws a text character by character from left to right, each at its place. */
function pdfWith(text: string, codes: string): Buffer {
  const letters = [...new Set(Array.from(codes))];
  const map = letters.map(
    (letter, i) => `<${(i + 33).toString(16)}> <${Buffer.from(letter, 'utf16le').swap16().toString('hex')}>`,
  );
  const cmap = `begincmap\n1 begincodespacerange <00> <ff> endcodespacerange\n${map.length} beginbfchar\n${map.join('\n')}\nendbfchar\nendcmap`;
  const draw = Array.from(
    text,
    (letter, i) => `1 0 0 1 ${20 + 7 * i} 100 Tm <${(letters.indexOf(letter) + 33).toString(16)}> Tj`,
  );
  const content = `BT /F 12 Tf ${draw.join(' ')} ET`;
  const widths = letters.map(() => 583).join(' ');
  return pdfOf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [ 4 0 R ] /MediaBox [ 0 0 400 200 ] >>',
    `<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /FirstChar 33 /LastChar ${32 + letters.length} /Widths [ ${widths} ] /ToUnicode 6 0 R >>`,
    '<< /Type /Page /Parent 2 0 R /Resources << /Font << /F 3 0 R >> >> /Contents 5 0 R >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    `<< /Length ${cmap.length} >>\nstream\n${cmap}\nendstream`,
  ]);
}

it('reads a PDF file whose letters from right to left are placed one by one', async () => {
  const visual = `2024 ${shown('לשנת')} (${shown('טיוטה')}) ${shown('דוח')}`;
  const { text, problem } = await parsed(pdfWith(visual, visual));
  expect({ text, problem }).toEqual({ text: 'דוח (טיוטה) לשנת 2024\n' });
  const arabic = '21 ﺪﻤﺤﻣ ﺔﻠﻜﺸﻤﻟﺍ';
  expect((await parsed(pdfWith(arabic, arabic))).text).toBe('المشكلة محمد 21\n');
});

it('puts marks that the file places on their letter after it, and numbers in the direction of their page', async () => {
  const item = (text: string, x: number, width: number, y = 100) => ({ text, x, y, width, size: 12, turned: false });
  const extraction = new Extraction(Number.POSITIVE_INFINITY, false);
  const items = [
    item('ם', 20, 7),
    item('ֹ', 27, 0),
    item('ו', 27, 3),
    item('ל', 30, 6),
    item(' ָׁ', 36.4, 0),
    item('ש', 36, 8),
    item('₪ 80', 20, 24, 60),
  ];
  addPage(items, await reorderFor(items), extraction);
  const texts = extraction.blocks.map((block) =>
    block.kind === 'paragraph' ? block.text.normalize('NFC') : block.kind,
  );
  expect(texts).toEqual(['שָׁלוֹם'.normalize('NFC'), '80 ₪']);
});
