// node bench/matrix/bulk-server.mjs: answers every bulk request immediately with success. Prints its port.
// GET /sum?keep=FILE returns the number of bytes since the last call. Later requests are stored in the file.
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';

const LF = 10;
const ITEM = '{"index":{"status":201,"result":"created"}}';
const answers = new Map();
let sum = 0;
let file = null;

const server = createServer((request, response) => {
  const pieces = [];
  request.on('data', (piece) => pieces.push(piece));
  request.on('end', () => {
    response.setHeader('content-type', 'application/json');
    if (request.url.startsWith('/sum')) {
      response.end(String(sum));
      sum = 0;
      file = new URL(request.url, 'http://localhost').searchParams.get('keep');
    } else if (request.method === 'POST') response.end(answerTo(pieces));
    else response.end('{"version":{"number":"3.0.0","distribution":"opensearch"}}');
  });
});

function answerTo(pieces) {
  let lines = 0;
  for (const piece of pieces) {
    sum += piece.length;
    for (let at = piece.indexOf(LF); at >= 0; at = piece.indexOf(LF, at + 1)) lines++;
  }
  if (file !== null) appendFileSync(file, Buffer.concat(pieces));
  const items = lines / 2;
  let answer = answers.get(items);
  if (answer === undefined) {
    answer = `{"errors":false,"items":[${new Array(items).fill(ITEM).join(',')}]}`;
    answers.set(items, answer);
  }
  return answer;
}

server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
