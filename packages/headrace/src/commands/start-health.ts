import type { RoleHealth } from '@headrace/distributed';
import type { HealthServer } from '../process/health-server.ts';

/** Starts the health endpoint if there is a port for it. Loads the code of the endpoint only then. */
export async function startHealth(
  port: number | undefined,
  counting: RoleHealth,
  others: readonly RoleHealth[] = [],
): Promise<HealthServer | undefined> {
  if (port === undefined) return undefined;
  const { startHealthServer } = await import('../process/health-server.ts');
  return startHealthServer(port, counting, others);
}
