import { zipOf } from '@headrace/testing/archives';
import { expect, it } from 'vitest';
import { parsed } from '../testing/parsed.ts';

it('reads the shapes of a slide of OpenDocument from the top to the bottom, and its notes last', async () => {
  const frame = (x: string, y: string, text: string, more = '') =>
    `<d:frame v:x="${x}" v:y="${y}" v:width="5cm" v:height="1cm" ${more}><d:text-box><x:p>${text}</x:p></d:text-box></d:frame>`;
  const slide = (shapes: string) => `<d:page>${shapes}<p:notes>${frame('0cm', '0cm', 'a note')}</p:notes></d:page>`;
  const content = `<o:document-content xmlns:o="o" xmlns:d="d" xmlns:x="x" xmlns:p="p" xmlns:v="v"><o:body><o:presentation>${slide(
    frame('10cm', '12cm', 'bottom right') +
      frame('1cm', '121mm', 'bottom left') +
      `<d:g>${frame('1cm', '3in', 'middle')}</d:g>` +
      `<d:custom-shape v:x="1cm" v:y="2cm" v:height="1cm"><x:p>top</x:p></d:custom-shape>` +
      frame('5cm', '0.5cm', 'The title', 'p:class="title"'),
  )}${slide(frame('0cm', '0cm', 'second slide'))}</o:presentation></o:body></o:document-content>`;
  const odp = zipOf([
    { name: 'mimetype', content: 'application/vnd.oasis.opendocument.presentation' },
    { name: 'content.xml', content },
  ]);
  const { text, problem } = await parsed(odp, { format: 'markdown' });
  expect({ text, problem }).toEqual({
    text: '<!-- page 1 -->\n\nThe title\n\ntop\n\nmiddle\n\nbottom left\n\nbottom right\n\na note\n\n<!-- page 2 -->\n\nsecond slide\n\na note\n',
  });
});
