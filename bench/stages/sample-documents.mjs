/** The state of a linear congruential generator (Numerical Recipes), so that the documents are always the same. */
let state = 42;
export function random(count) {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return (state >>> 8) % count;
}

export function pick(list) {
  return list[random(list.length)];
}

const SENTENCES = `The harbour lay quiet under a thin mist that the morning had not yet lifted.
No one in the village could remember a summer as long and as dry as this one.
She opened the letter, read it twice, and put it back into the drawer without a word.
In 1987 the company moved its offices to Boston and doubled the number of its engineers.
Is there anything that a careful reader would not have noticed on the first page?
The new library holds 40,000 volumes, most of them gifts of the families who settled here.
Rain fell on the fields for three days, and the river rose above the old stone bridge.
He had promised to write from New York, but weeks went by before the first card arrived.
Prices of coffee and sugar climbed again in October, while wheat remained where it was.
Every instrument of the orchestra has its own case, its own shelf and its own keeper.
They followed the path along the coast until the lighthouse came into sight!
Modern kitchens owe more to the railway carriage than most people would believe.
The committee meets on Thursday at noon; its report is due before the end of the month.
Visitors may leave their coats downstairs and take the lift to the second floor.
A good map shows what is there, and a better one also shows what used to be there.
When the lamps were lit, the square filled with music, and the children would not go to bed.`.split('\n');

const TAGS = 'travel sea summer history music science garden winter market family'.split(' ');
const NAMES = ['Ann Lee', 'José Núñez', 'Mary Brown', 'Jürgen Groß', 'Tom Hill', 'Zoë Baker', 'Émile Roux'];

/** Returns a text of about this many characters, in sentences. */
export function prose(length, sentences = SENTENCES) {
  let text = pick(sentences);
  while (text.length < length) text += ` ${pick(sentences)}`;
  return text;
}

/** Returns a document as plain data: an id and ten fields, one of them with 900 characters. */
export function sampleDocument(number) {
  return {
    id: `https://www.example.com/articles/${number}`,
    title: ` ${pick(SENTENCES).slice(0, 50)} `,
    author: pick(NAMES),
    published: `20${10 + random(15)}-0${1 + random(9)}-1${random(10)} 0${random(10)}:15:30`,
    category: `${pick(TAGS)}; ${pick(TAGS)}; ${pick(TAGS)}`,
    tags: [pick(TAGS), pick(TAGS), pick(TAGS), pick(TAGS)],
    price: random(100000) / 100 + 0.001,
    stock: random(1000),
    url: `https://www.example.com/articles/${number}`,
    file_path: `/data/reports/20${10 + random(15)}/report-${number}.pdf`,
    body: prose(900),
  };
}
