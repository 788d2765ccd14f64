import { Type } from '@headrace/engine';
import type { FastifyInstance } from 'fastify';
import { metricsToJson } from '../stats/metrics-json.ts';
import { PROMETHEUS_CONTENT_TYPE } from '../stats/prometheus-text.ts';
import { SystemHistoryAnswer } from '../stats/system-history.ts';
import { sendJson } from './json.ts';
import { answers } from './route-schemas.ts';
import type { ServiceParts } from './service-parts.ts';

/** The routes that return measurements of the machine and the service. */
export async function statsRoutes(
  app: FastifyInstance,
  { measurements, system, history }: ServiceParts,
): Promise<void> {
  const tags = ['stats'];
  const config = { access: 'reader' } as const;

  app.get(
    '/v1/systemstats',
    {
      config,
      schema: { tags, summary: 'Processors, memory, storage', response: answers({ 200: Type.Ref('SystemStats') }) },
    },
    async (_request, reply) => sendJson(reply, JSON.stringify(await system.read())),
  );

  app.get(
    '/v1/systemstats/history',
    {
      config,
      schema: {
        tags,
        summary: 'Processors, memory, storage, requests and runs over the last hour',
        response: answers({ 200: SystemHistoryAnswer }),
      },
    },
    async (_request, reply) => sendJson(reply, history.toJson()),
  );

  app.get(
    '/v1/systemstats/metrics',
    {
      config,
      schema: {
        tags,
        summary: 'Measurements in the format of Dropwizard Metrics',
        response: answers({ 200: Type.Ref('Metrics') }),
      },
    },
    async (_request, reply) => sendJson(reply, JSON.stringify(metricsToJson(measurements.dropwizard))),
  );

  app.get(
    '/metrics',
    {
      config: { ...config, anyQuery: true },
      schema: {
        tags,
        summary: "Measurements in Prometheus' text form",
        response: { ...answers({}), 200: { content: { 'text/plain': { schema: Type.String() } } } },
      },
    },
    async (_request, reply) => reply.header('content-type', PROMETHEUS_CONTENT_TYPE).send(measurements.prometheus()),
  );
}
