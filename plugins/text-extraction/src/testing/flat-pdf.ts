import { pdfOf } from './pdf-of.ts';

/** Returns a PDF file whose pages are all in one list. Each page has the text "Page" and its number, from 1. */
export function flatPdf(pages: number): Buffer {
  const kids = Array.from({ length: pages }, (_, i) => `${4 + 2 * i} 0 R`);
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${pages} /Kids [ ${kids.join(' ')} ] /MediaBox [ 0 0 200 200 ] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  for (let page = 1; page <= pages; page++) {
    const content = `BT /F 12 Tf 20 100 Td (Page ${page}) Tj ET`;
    const resources = '/Resources << /Font << /F 3 0 R >> >>';
    objects.push(`<< /Type /Page /Parent 2 0 R ${resources} /Contents ${objects.length + 2} 0 R >>`);
    objects.push(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`);
  }
  return pdfOf(objects);
}
