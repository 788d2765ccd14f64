// node bench/plugins/stub-store.mjs: accepts every request as Qdrant does, and stores nothing. Prints its port.
import { createServer } from 'node:http';

const COLLECTION = { result: { config: { params: { vectors: { size: 384, distance: 'Cosine' } } } }, status: 'ok' };

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify(request.method === 'GET' ? COLLECTION : { result: { status: 'completed' }, status: 'ok' }),
    );
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
