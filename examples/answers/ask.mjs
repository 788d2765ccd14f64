// Shows the passages that are nearest to a question, best first.
//
//   node examples/answers/ask.mjs "How long is the warranty of a carbon frame?"
//
// Searches the table of pgvector.conf, or with OPENSEARCH_URL the index of opensearch.conf.
import { embedTexts } from '@headrace/embeddings';

const { ANSWERS_MODEL, ANSWERS_DATABASE, OPENSEARCH_URL } = process.env;
const SHOWN = 3;

// `ask.mjs … | head` closes the pipe before everything is written.
process.stdout.on('error', (error) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

const question = process.argv[2];
if (question === undefined) {
  console.error('Usage: node examples/answers/ask.mjs QUESTION');
  process.exit(2);
}
const [vector] = await embedTexts([question], { model: ANSWERS_MODEL ?? 'examples/answers/model' });
for (const { file, page, score, text } of OPENSEARCH_URL ? await searchIndex(vector) : await searchTable(vector)) {
  const where = page === null || page === undefined ? file : `${file}, page ${page}`;
  console.log(`${score.toFixed(3)}  ${where}\n${text.replaceAll(/^/gm, '       ')}\n`);
}

async function searchTable(vector) {
  const { default: pg } = await import('pg');
  const client = new pg.Client(ANSWERS_DATABASE ?? 'postgresql://localhost:5432/answers');
  await client.connect();
  try {
    const query = `SELECT file, page, text, 1 - (embedding <=> $1) AS score FROM passages
      WHERE embedding IS NOT NULL ORDER BY embedding <=> $1 LIMIT $2`;
    return (await client.query(query, [JSON.stringify(vector), SHOWN])).rows;
  } finally {
    await client.end();
  }
}

async function searchIndex(vector) {
  const query = { knn: { embedding: { vector, k: SHOWN } } };
  const answer = await fetch(`${OPENSEARCH_URL}/passages/_search`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ size: SHOWN, query, _source: ['file', 'page', 'text'] }),
  });
  if (!answer.ok) throw new Error(`OpenSearch: ${answer.status} ${await answer.text()}`);
  return (await answer.json()).hits.hits.map(({ _score, _source }) => ({ ..._source, score: _score }));
}
