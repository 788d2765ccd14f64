import { zipOf } from '@headrace/testing/archives';
import { expect, it } from 'vitest';
import { parsed } from '../testing/parsed.ts';
import { readOptions } from '../testing/read-options.ts';
import type { HiddenParts } from './format.ts';

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

const relations = (...all: (readonly [id: string, type: string, target: string])[]) =>
  `<Relationships>${all.map(([id, type, target]) => `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`).join('')}</Relationships>`;
const place = (x: number, y: number) => `<a:xfrm><a:off x="${x}" y="${y}"/><a:ext cx="100" cy="100"/></a:xfrm>`;
const text = (words: string) => `<p:txBody><a:p><a:r><a:t>${words}</a:t></a:r></a:p></p:txBody>`;
const shape = (words: string, properties: string, about = '') =>
  `<p:sp><p:nvSpPr><p:cNvPr id="1" ${about}/></p:nvSpPr><p:spPr>${properties}</p:spPr>${text(words)}</p:sp>`;
const placeholder = (words: string, ph: string, properties = '') =>
  `<p:sp><p:nvSpPr><p:nvPr><p:ph ${ph}/></p:nvPr></p:nvSpPr><p:spPr>${properties}</p:spPr>${text(words)}</p:sp>`;
const chartFrame = (id: string, x: number, y: number) =>
  `<p:graphicFrame>${place(x, y).replaceAll('a:xfrm', 'p:xfrm')}<a:graphic><a:graphicData><c:chart r:id="${id}"/></a:graphicData></a:graphic></p:graphicFrame>`;
const chart = (title: string) =>
  `<c:chartSpace><c:title><c:tx><c:rich><a:p><a:r><a:t>${title}</a:t></a:r></a:p></c:rich></c:tx></c:title></c:chartSpace>`;

/** Returns a presentation of slides, each with its shapes, the attributes of its root and its relations. */
function presentation(
  slides: readonly { shapes: string; root?: string; relations?: string }[],
  more: { name: string; content: string }[] = [],
): Buffer {
  const type = 'application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml';
  return zipOf([
    {
      name: '[Content_Types].xml',
      content: `<Types><Override PartName="/ppt/presentation.xml" ContentType="${type}"/></Types>`,
    },
    {
      name: 'ppt/presentation.xml',
      content: `<p:presentation>${slides.map((_, i) => `<p:sldId id="${256 + i}" r:id="s${i}"/>`).join('')}</p:presentation>`,
    },
    {
      name: 'ppt/_rels/presentation.xml.rels',
      content: relations(...slides.map((_, i) => [`s${i}`, 'slide', `slides/slide${i}.xml`] as const)),
    },
    ...slides.flatMap(({ shapes, root = '', relations: rels }, i) => [
      {
        name: `ppt/slides/slide${i}.xml`,
        content: `<p:sld ${root}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`,
      },
      ...(rels === undefined ? [] : [{ name: `ppt/slides/_rels/slide${i}.xml.rels`, content: rels }]),
    ]),
    ...more,
  ]);
}

async function markdownOf(file: Buffer, hidden: HiddenParts = 'include'): Promise<string> {
  const { text: markdown, problem } = await parsed(file, { format: 'markdown', options: { ...readOptions, hidden } });
  if (problem !== undefined) throw new Error(problem.message);
  return markdown;
}

it('reads the shapes and charts of a slide from the top to the bottom, on their slide', async () => {
  const first = [
    shape('bottom right', place(500, 700)),
    shape('bottom left', place(100, 710)),
    chartFrame('c1', 100, 400),
    `<p:grpSp><p:grpSpPr>${place(500, 400)}</p:grpSpPr>${shape('group below', place(0, 50))}${shape('group above', place(0, 0))}</p:grpSp>`,
    shape('top', place(100, 200)),
    placeholder('The title', 'type="title"'),
  ].join('');
  const file = presentation(
    [
      { shapes: first, relations: relations(['c1', 'chart', '../charts/chart2.xml']) },
      { shapes: chartFrame('c1', 0, 0), relations: relations(['c1', 'chart', '../charts/chart1.xml']) },
    ],
    [
      { name: 'ppt/charts/chart1.xml', content: chart('Second chart') },
      { name: 'ppt/charts/chart2.xml', content: chart('First chart') },
    ],
  );
  expect(await markdownOf(file)).toBe(
    '<!-- page 1 -->\n\n## The title\n\n- top\n\nFirst chart\n\n- group above\n- group below\n- bottom left\n- bottom right\n\n<!-- page 2 -->\n\nSecond chart\n',
  );
});

it('takes the places of placeholders from the layout', async () => {
  const layout = `<p:sldLayout><p:cSld><p:spTree>${placeholder('x', 'type="body" idx="1"', place(0, 100))}${placeholder('x', 'type="body" idx="2"', place(0, 500))}</p:spTree></p:cSld></p:sldLayout>`;
  const file = presentation(
    [
      {
        shapes: `${placeholder('second', 'type="body" idx="2"')}${shape('between', place(0, 300))}${placeholder('first', 'type="body" idx="1"')}`,
        relations: relations(['l', 'slideLayout', '../slideLayouts/slideLayout1.xml']),
      },
    ],
    [{ name: 'ppt/slideLayouts/slideLayout1.xml', content: layout }],
  );
  expect(await markdownOf(file)).toBe('<!-- page 1 -->\n\n- first\n- between\n- second\n');
});

it('reads a shape once that is repeated for older programs', async () => {
  const twice = `<mc:AlternateContent><mc:Choice>${shape('new', place(0, 0))}</mc:Choice><mc:Fallback>${shape('new', place(0, 0))}</mc:Fallback></mc:AlternateContent>`;
  expect(await markdownOf(presentation([{ shapes: twice }]))).toBe('<!-- page 1 -->\n\n- new\n');
});

it('reads, marks or omits hidden slides with their charts, and hidden shapes', async () => {
  const file = presentation(
    [
      { shapes: `${shape('shown', place(0, 0))}${shape('hidden', place(0, 200), 'hidden="1"')}` },
      {
        shapes: `${shape('on it', place(0, 0))}${chartFrame('c', 0, 200)}`,
        root: 'show="0"',
        relations: relations(['c', 'chart', '../charts/chart1.xml']),
      },
      { shapes: shape('last', place(0, 0)) },
    ],
    [{ name: 'ppt/charts/chart1.xml', content: chart('A chart') }],
  );
  expect(await markdownOf(file)).toBe(
    '<!-- page 1 -->\n\n- shown\n- hidden\n\n<!-- page 2 -->\n\n- on it\n\nA chart\n\n<!-- page 3 -->\n\n- last\n',
  );
  expect(await markdownOf(file, 'omit')).toBe('<!-- page 1 -->\n\n- shown\n\n<!-- page 3 -->\n\n- last\n');
  expect(await markdownOf(file, 'mark')).toContain(
    '- shown\n\n[hidden]\n\n- hidden\n\n<!-- page 2 -->\n\n[hidden]\n\n- on it',
  );
});
