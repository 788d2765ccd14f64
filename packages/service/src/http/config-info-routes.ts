import { type CatalogEntry, Type } from '@headrace/engine';
import type { FastifyInstance } from 'fastify';
import { componentAnswer } from './component-answer.ts';
import { sendJson } from './json.ts';
import { answers } from './route-schemas.ts';
import type { ServiceParts } from './service-parts.ts';

const KINDS: readonly CatalogEntry['kind'][] = ['stage', 'connector', 'indexer'];

/** What components there are, with their parameters. */
export async function configInfoRoutes(app: FastifyInstance, { registry }: ServiceParts): Promise<void> {
  for (const kind of KINDS) {
    let list: string | undefined;
    app.get(
      `/v1/config-info/${kind}-list`,
      {
        config: { access: 'reader' },
        schema: {
          tags: ['config-info'],
          summary: `All ${kind}s with their parameters`,
          response: answers({ 200: Type.Array(Type.Ref('Component')) }),
        },
      },
      async (_request, reply) => {
        // It does not change while the service runs.
        list ??= JSON.stringify(registry.list(kind).map(componentAnswer));
        return sendJson(reply, list);
      },
    );
  }
}
