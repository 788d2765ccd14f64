import type { FastifyInstance } from 'fastify';
import type { ServiceMetrics } from '../stats/service-metrics.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The answer lasts as long as a run does. */
    stream?: boolean;
  }
}

/** Measures all requests: how long they take, and what they are answered. */
export function measureRequests(app: FastifyInstance, metrics: ServiceMetrics): void {
  app.addHook('onRequest', (_request, reply, done) => {
    metrics.requestBegan();
    // Comes too when the client goes away before the answer.
    reply.raw.once('close', () => metrics.requestGone());
    done();
  });
  app.addHook('onResponse', ({ method, routeOptions }, { statusCode, elapsedTime }, done) => {
    // How long somebody listens is no time that an answer takes.
    if (routeOptions.config.stream === true) {
      done();
      return;
    }
    // The pattern of the route, not its URL: ids would make a series each.
    metrics.requestAnswered({ method, route: routeOptions.url ?? 'none', statusCode, seconds: elapsedTime / 1000 });
    done();
  });
}
