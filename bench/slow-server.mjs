// node bench/slow-server.mjs MILLIS: answers every request after this many milliseconds. Prints its port.
import { createServer } from 'node:http';

const server = createServer((_request, response) => {
  setTimeout(() => response.end('a page of some length'), Number(process.argv[2]));
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
