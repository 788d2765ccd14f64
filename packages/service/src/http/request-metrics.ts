import type { FastifyInstance } from 'fastify';
import type { ServiceMetrics } from '../stats/service-metrics.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the answer is a stream that lasts as long as a run. */
    stream?: boolean;
    /** Whether the route has all addresses of pages, and so also all unknown paths. */
    pages?: boolean;
  }
}

/** Measures the duration and the status of all requests. */
export function measureRequests(app: FastifyInstance, metrics: ServiceMetrics): void {
  app.addHook('onRequest', (_request, reply, done) => {
    metrics.requestBegan();
    // This event also occurs if the client disconnects before the answer.
    reply.raw.once('close', () => metrics.requestGone());
    done();
  });
  app.addHook('onResponse', ({ method, routeOptions }, { statusCode, elapsedTime }, done) => {
    // The duration of a stream depends on the client, so it is not measured.
    if (routeOptions.config.stream === true) {
      done();
      return;
    }
    // Use the pattern of the route instead of the URL. Otherwise each id would create a separate series.
    const unknown = routeOptions.config.pages === true && statusCode === 404;
    const route = (unknown ? undefined : routeOptions.url) ?? 'none';
    metrics.requestAnswered({ method, route, statusCode, seconds: elapsedTime / 1000 });
    done();
  });
}
