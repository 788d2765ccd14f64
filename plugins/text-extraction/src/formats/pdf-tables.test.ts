import { describe, expect, it } from 'vitest';
import { parsed } from '../testing/parsed.ts';
import { pdfOf } from '../testing/pdf-of.ts';

/** Returns a PDF file with a page of this content. The font /F has a size of 10. */
function pageWith(...content: string[]): Buffer {
  const stream = content.join('\n');
  return pdfOf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [ 4 0 R ] /MediaBox [ 0 0 500 800 ] >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    '<< /Type /Page /Parent 2 0 R /Resources << /Font << /F 3 0 R >> >> /Contents 5 0 R >>',
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
  ]);
}

const text = (x: number, y: number, words: string) => `BT /F 10 Tf ${x} ${y} Td (${words}) Tj ET`;
const lines = (x: number, top: number, ...all: string[]) =>
  all.map((words, i) => text(x, top - 12 * i, words)).join('\n');
const line = (x1: number, y1: number, x2: number, y2: number) => `${x1} ${y1} m ${x2} ${y2} l S`;
const thin = (x: number, y: number, width: number, height: number) => `${x} ${y} ${width} ${height} re f`;

async function markdownOf(pdf: Buffer): Promise<string> {
  const { text: markdown, problem } = await parsed(pdf, { format: 'markdown', images: false });
  if (problem !== undefined) throw new Error(problem.message);
  return markdown.replace('<!-- page 1 -->\n\n', '');
}

const CELLS = [
  lines(55, 740, 'Part'),
  lines(205, 740, 'What it does'),
  lines(405, 740, 'Price'),
  lines(55, 715, 'The wheel of the', 'upper mill'),
  lines(205, 715, 'Turns the stones as long as the', 'water of the river is high', 'enough'),
  lines(405, 715, '1,250'),
  lines(55, 665, 'The gate'),
  lines(205, 665, 'Closes the channel'),
  lines(405, 665, '80'),
  lines(55, 640, 'The saw of the', 'lower mill'),
  lines(205, 640, 'Cuts in winter'),
];
const HEIGHTS = [755, 730, 680, 655, 615];
const TABLE =
  '| Part | What it does | Price |\n| --- | --- | --- |\n' +
  '| The wheel of the upper mill | Turns the stones as long as the water of the river is high enough | 1,250 |\n' +
  '| The gate | Closes the channel | 80 |\n| The saw of the lower mill | Cuts in winter |  |\n';

describe('a table whose cells have several lines', () => {
  it.each([
    [
      'lines around its cells',
      [...HEIGHTS.map((y) => line(50, y, 450, y)), ...[50, 200, 400, 450].map((x) => line(x, 755, x, 615))],
    ],
    [
      'lines in a moved system',
      [
        'q 1 0 0 1 50 615 cm',
        ...HEIGHTS.map((y) => line(0, y - 615, 400, y - 615)),
        ...[0, 150, 350, 400].map((x) => line(x, 0, x, 140)),
        'Q',
      ],
    ],
    [
      'thin rectangles as lines',
      [...HEIGHTS.map((y) => thin(50, y, 400, 1)), ...[50, 200, 400, 450].map((x) => thin(x, 615, 1, 140))],
    ],
    [
      'a rectangle for each cell',
      HEIGHTS.slice(1).flatMap((y, i) =>
        [
          [50, 150],
          [200, 200],
          [400, 50],
        ].map(([x, width]) => `${x} ${y} ${width} ${(HEIGHTS[i] as number) - y} re S`),
      ),
    ],
    [
      'lines between its cells only',
      [...HEIGHTS.slice(1, -1).map((y) => line(50, y, 450, y)), ...[200, 400].map((x) => line(x, 755, x, 615))],
    ],
    ['lines between its rows only', HEIGHTS.map((y) => line(50, y, 450, y))],
  ])('is read cell by cell: %s', async (_, rules) => {
    const pdf = pageWith(text(50, 780, 'Before.'), ...rules, ...CELLS, text(50, 590, 'After.'));
    expect(await markdownOf(pdf)).toBe(`Before.\n\n${TABLE}\nAfter.\n`);
    const byRows = pageWith(text(50, 780, 'Before.'), ...rules, ...CELLS.toReversed(), text(50, 590, 'After.'));
    expect(await markdownOf(byRows)).toBe(`Before.\n\n${TABLE}\nAfter.\n`);
  });
});

it('reads a header above the first line, and rows that have equally many lines of text', async () => {
  const rules = [725, 680, 655, 630].map((y) => line(50, y, 350, y));
  const cells = [
    text(80, 731, 'Part'),
    text(240, 731, 'What'),
    lines(52, 713, 'The wheel of the upper', 'mill that was built', 'before the war'),
    lines(161, 713, 'Turns the stones as', 'long as the river is', 'high enough'),
    text(52, 663, 'Gate'),
    text(161, 663, 'Closes'),
    text(52, 638, 'Saw'),
    text(161, 638, 'Cuts'),
  ];
  expect(await markdownOf(pageWith(...rules, ...cells))).toBe(
    '| Part | What |\n| --- | --- |\n| The wheel of the upper mill that was built before the war | Turns the stones as long as the river is high enough |\n| Gate | Closes |\n| Saw | Cuts |\n',
  );
});

it('keeps several rows between two lines apart', async () => {
  const rules = [725, 710, 670, 620].map((y) => line(50, y, 350, y));
  const cells = ['Name', 'Ann', 'Bob', 'Carl', 'Dora', 'Emil', 'Fred'].flatMap((name, i) => [
    text(55, 714 - 14 * i, name),
    text(255, 714 - 14 * i, i === 0 ? 'Town' : `Town ${i}`),
  ]);
  expect(await markdownOf(pageWith(...rules, ...cells))).toContain(
    '| Ann | Town 1 |\n| Bob | Town 2 |\n| Carl | Town 3 |',
  );
});

it('reads a cell over two columns, and one over two rows, once', async () => {
  const rules = [
    ...[700, 680, 640].map((y) => line(50, y, 350, y)),
    line(150, 660, 350, 660),
    ...[50, 250, 350].map((x) => line(x, 700, x, 640)),
    line(150, 680, 150, 640),
  ];
  const cells = [
    text(55, 686, 'Over two'),
    text(255, 686, 'C'),
    lines(55, 663, 'down', 'two'),
    text(155, 666, 'b1'),
    text(255, 666, 'c1'),
    text(155, 646, 'b2'),
    text(255, 646, 'c2'),
  ];
  expect(await markdownOf(pageWith(...rules, ...cells))).toBe(
    '| Over two |  | C |\n| --- | --- | --- |\n| down two | b1 | c1 |\n|  | b2 | c2 |\n',
  );
});

it('takes no frame around a page with columns, and no lines above and below them, for a table', async () => {
  const left = [
    'The river rises in the hills above',
    'the town and flows to the sea after',
    'three hundred miles. Its water drives',
    'four mills, and the last of them grinds',
    'corn to this day.',
  ];
  const right = [
    'Mountains keep their snow until',
    'June, when the first flocks go up to',
    'graze. Shepherds live in huts of stone',
    'with roofs of turf, which the winter',
    'does not harm.',
  ];
  const columns = [lines(50, 700, ...left), lines(260, 700, ...right)];
  const expected = `${left.join('\n')}\n\n${right.join('\n')}\n`;
  expect(await markdownOf(pageWith('40 600 420 150 re S', ...columns))).toBe(expected);
  expect(await markdownOf(pageWith(...[720, 640, 635, 20].map((y) => line(40, y, 460, y)), ...columns))).toBe(expected);
});

it('ends for a page of many lines', async () => {
  const many = Array.from({ length: 30_000 }, (_, i) => line(i % 500, (i * 7) % 800, (i % 500) + 20, (i * 7) % 800));
  expect(await markdownOf(pageWith(...many, ...CELLS))).toContain('The gate');
});
