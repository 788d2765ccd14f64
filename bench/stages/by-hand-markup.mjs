import { pick, prose, random } from './sample-documents.mjs';

/** Stages that read HTML and XML. */
export const markupWork = {
  ApplyJSoup: async () => {
    const { load } = await import('cheerio');
    return {
      params: {
        stringField: 'html',
        destinationFields: {
          heading: { type: 'text', selector: 'h1' },
          paragraphs: { type: 'text', selector: 'div.text > p' },
          links: { type: 'attribute', selector: 'a[href]', attribute: 'href' },
        },
      },
      fields: (i) => ({ html: page(i) }),
      byHand(record) {
        const $ = load(record.html);
        const textOf = (element) => $(element).text().replace(/\s+/g, ' ').trim();
        record.heading = textOf('h1');
        record.paragraphs = $('div.text > p').get().map(textOf);
        record.links = $('a[href]')
          .get()
          .map((element) => element.attribs.href);
      },
    };
  },

  // The work by hand evaluates no expression. A handler for each event finds the wanted elements.
  XPathExtractor: async () => {
    const { SaxesParser } = await import('saxes');
    return {
      params: { fieldMapping: { '//title': ['titles'], '//book[price < 10]/@id': ['cheap'] } },
      fields: () => ({ xml: books() }),
      byHand(record) {
        const titles = [];
        const cheap = [];
        let id = '';
        let text = '';
        const parser = new SaxesParser();
        parser.on('opentag', ({ name, attributes }) => {
          if (name === 'book') id = attributes.id;
          text = '';
        });
        parser.on('text', (part) => {
          text += part;
        });
        parser.on('closetag', ({ name }) => {
          if (name === 'title') titles.push(text);
          else if (name === 'price' && Number(text) < 10) cheap.push(id);
        });
        parser.write(record.xml).close();
        record.titles = titles;
        if (cheap.length > 0) record.cheap = cheap.length === 1 ? cheap[0] : cheap;
      },
    };
  },
};

/** About 2,000 characters of HTML, 900 of them text. */
function page(i) {
  const paragraphs = Array.from(
    { length: 5 },
    () => `    <p class="p">${prose(170)} <a href="/articles/${random(1000)}" title="More">more</a></p>\n`,
  );
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Article ${i}</title>
<link rel="stylesheet" href="/style.css"><script>window.page = ${i};</script></head>
<body><nav><ul><li><a href="/">Home</a></li><li><a href="/news">News</a></li><li><a href="/about">About</a></li></ul></nav>
<main><h1>Article ${i}</h1>
  <div class="text">
${paragraphs.join('')}  </div></main>
<footer><p>&copy; 2024 Example &amp; Sons</p></footer></body></html>`;
}

/** About 900 characters of XML. */
function books() {
  const entries = Array.from(
    { length: 7 },
    (_, i) =>
      `<book id="b${i}" lang="en"><title>The ${pick(['Salt', 'Tide', 'Sand'])} &amp; the Sea</title><author>Ann Lee</author><price>${5 + random(30)}.50</price></book>`,
  );
  return `<?xml version="1.0"?><library>\n  ${entries.join('\n  ')}\n</library>`;
}
