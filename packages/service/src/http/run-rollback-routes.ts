import { Type } from '@headrace/engine';
import { sendJson } from './json.ts';
import { answers, runParams } from './route-schemas.ts';
import type { ServiceApp } from './route-types.ts';
import type { ServiceParts } from './service-parts.ts';

const RollbackBody = Type.Union([
  Type.Object(
    {
      configId: Type.Optional(
        Type.String({
          pattern: '\\S',
          description: 'The config for the rollback, in its current version. Default: the version of the run',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  Type.Null(),
]);

/** The route that undoes a run. */
export async function runRollbackRoutes(app: ServiceApp, { rollbacks }: ServiceParts): Promise<void> {
  app.post(
    '/v1/run/:id/rollback',
    {
      config: { access: 'operator' },
      schema: {
        tags: ['run'],
        summary: 'Undo a rebuild: the alias points to the previous index again',
        params: runParams,
        body: RollbackBody,
        response: answers({ 200: Type.Ref('RunDetails') }, 400, 404, 409, 422, 429),
      },
    },
    async ({ params: { id }, body, user }, reply) =>
      sendJson(reply, await rollbacks.rollBack(id, body?.configId, user)),
  );
}
