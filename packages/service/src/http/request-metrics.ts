import type { FastifyInstance } from 'fastify';
import type { Metrics } from '../stats/metrics.ts';

/** Measures all requests: how long they take, and what they are answered. */
export function measureRequests(app: FastifyInstance, metrics: Metrics): void {
  const requests = metrics.timer('http.requests');
  const answered = ['1xx', '2xx', '3xx', '4xx', '5xx'].map((group) => metrics.meter(`http.responses.${group}`));
  app.addHook('onResponse', (_request, reply, done) => {
    requests.update(reply.elapsedTime / 1000);
    answered[Math.floor(reply.statusCode / 100) - 1]?.mark();
    done();
  });
}
