import { expect, it } from 'vitest';
import { Extraction } from '../blocks/blocks.ts';
import { writeMarkdown } from '../blocks/write-markdown.ts';
import { reorderFor } from './pdf-direction.ts';
import { addPage, type TextItem } from './pdf-layout.ts';

/** Returns a line of text whose characters are 5 points wide. */
const line = (x: number, y: number, text: string, more: Partial<TextItem> = {}): TextItem => ({
  text,
  x,
  y,
  width: text.length * 5,
  size: 10,
  turned: false,
  ...more,
});

const column = (x: number, top: number, texts: readonly string[]) =>
  texts.map((text, i) => line(x, top - 12 * i, text));

async function pageOf(items: readonly TextItem[]): Promise<string> {
  const extraction = new Extraction(Number.POSITIVE_INFINITY, false);
  addPage(items, await reorderFor(items), extraction);
  return writeMarkdown(extraction.blocks);
}

const RIVERS = [
  'The river rises in the hills above the',
  'town and flows to the sea after three',
  'hundred miles. Its water drives four',
  'mills, and the last of them still grinds',
  'corn. In dry summers the mills stop for',
  'weeks, which the owners dislike.',
];
const MOUNTAINS = [
  'Mountains keep their snow until June,',
  'when the first flocks go up to graze.',
  'Shepherds live in huts of stone with',
  'roofs of turf. The passes open in May',
  'and close in October of the same year,',
  'when the snow begins.',
];
const CITIES = [
  'Cities grew at the fords and harbours',
  'of the rivers. Markets were held twice',
  'a week, and fairs once a year. Walls',
  'kept out thieves and wild animals.',
  'Guilds ruled the crafts until 1790, and',
  'their houses surround the squares.',
];
const paragraph = (texts: readonly string[]) => texts.join('\n');

/** Returns lists as one: the first of each, then the second of each. */
const byRows = <T>(...lists: (readonly T[])[]) =>
  (lists[0] ?? []).flatMap((_, i) => lists.flatMap((list) => list[i] ?? []));

it.each([
  ['line by line', byRows(column(60, 700, RIVERS), column(300, 700, MOUNTAINS))],
  ['line by line, at other heights', byRows(column(60, 700, RIVERS), column(300, 697, MOUNTAINS))],
  ['the right one first', [...column(300, 700, MOUNTAINS), ...column(60, 700, RIVERS)]],
  ['from the bottom to the top', [...column(60, 700, RIVERS), ...column(300, 700, MOUNTAINS)].reverse()],
  ['column by column', [...column(60, 700, RIVERS), ...column(300, 700, MOUNTAINS)]],
])('reads one column to its end before the next one if the file has them %s', async (_, items) => {
  expect(await pageOf(items)).toBe(`${paragraph(RIVERS)}\n\n${paragraph(MOUNTAINS)}\n`);
});

it('reads three columns with a title above, and the number of the page below', async () => {
  const items = [
    line(200, 760, 'A report about the valley'),
    ...byRows(column(40, 700, RIVERS), column(260, 700, MOUNTAINS), column(480, 700, CITIES)),
    line(40, 580, 'Page 3'),
  ];
  expect(await pageOf(items)).toBe(
    `A report about the valley\n\n${[RIVERS, MOUNTAINS, CITIES].map(paragraph).join('\n\n')}\n\nPage 3\n`,
  );
});

it('reads what is between two parts with columns after the first part', async () => {
  const items = [
    ...byRows(column(60, 700, RIVERS), column(300, 700, MOUNTAINS)),
    line(60, 600, 'A line over the whole width of the page, which separates the two parts of the page for the reader.'),
    ...byRows(column(60, 570, CITIES), column(300, 570, MOUNTAINS)),
  ];
  const text = await pageOf(items);
  const places = ['The river rises', 'Mountains keep', 'A line over', 'Cities grew'].map((start) =>
    text.indexOf(start),
  );
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places).not.toContain(-1);
});

it('continues a sentence in the next column', async () => {
  const text = await pageOf(
    byRows(column(60, 700, RIVERS.slice(0, 5)), column(300, 700, ['weeks, which the owners', ...MOUNTAINS.slice(1)])),
  );
  expect(text).toContain('the mills stop for\nweeks, which the owners');
});

it('keeps tables: those with short cells, and those whose rows are apart in all columns', async () => {
  const prices = Array.from({ length: 6 }, (_, i) => [
    line(60, 700 - 12 * i, `Stone of the valley ${i}`),
    line(250, 700 - 12 * i, `${i}.50`),
    line(330, 700 - 12 * i, 'delivered in boats'),
  ]);
  expect((await pageOf(prices.flat())).split('\n')[0]).toBe('| Stone of the valley 0 | 0.50 | delivered in boats |');
  const rows = [0, 1, 2, 3].flatMap((row) => {
    const top = 700 - 50 * row;
    return byRows(
      column(60, top, ['The owner of the mill on the river', `pays the toll number ${row}`]),
      column(300, top, ['for the passage of boats and for the', 'use of the water in dry summers']),
    );
  });
  const text = await pageOf(rows);
  expect(text.indexOf('toll number 0')).toBeLessThan(text.indexOf('toll number 1'));
  expect(text.indexOf('use of the water')).toBeLessThan(text.indexOf('toll number 1'));
});

it('takes no text beside the page, such as a turned mark, for a column', async () => {
  const mark = line(20, 400, 'A mark that is turned', { turned: true });
  const text = await pageOf([mark, ...byRows(column(60, 700, RIVERS), column(300, 700, MOUNTAINS))]);
  expect(text).toBe(`${paragraph(RIVERS)}\n\n${paragraph(MOUNTAINS)}\n\nA mark that is turned\n`);
});

it('reads the right column first if its letters are written from right to left', async () => {
  const hebrew = (words: string) => Array.from(words).reverse().join('');
  const lines = (name: string) =>
    Array.from({ length: 5 }, (_, i) => hebrew(`${name} השורה הזאת ממשיכה את המשפט ${i}`));
  const aligned = (right: number, texts: readonly string[]) =>
    texts.map((text, i) => line(right - text.length * 5, 700 - 12 * i, text));
  const text = await pageOf(byRows(aligned(250, lines('שמאל')), aligned(500, lines('ימין'))));
  expect(text.indexOf('ימין השורה הזאת ממשיכה את המשפט 4')).toBeGreaterThanOrEqual(0);
  expect(text.indexOf('ימין השורה הזאת ממשיכה את המשפט 4')).toBeLessThan(
    text.indexOf('שמאל השורה הזאת ממשיכה את המשפט 0'),
  );
});

it('ends for a page of many pieces at random places', async () => {
  let seed = 7;
  const random = (most: number) => {
    seed = (seed * 48271) % 2147483647;
    return seed % most;
  };
  const items = Array.from({ length: 15_000 }, () => line(random(600), random(800), 'piece of text'));
  expect((await pageOf(items)).length).toBeGreaterThan(0);
});
