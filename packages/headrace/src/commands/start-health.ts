import type { RoleHealth } from '@headrace/distributed';
import { messageOf } from '@headrace/engine';
import { CommandError } from '../process/exit-code.ts';
import type { HealthServer } from '../process/health-server.ts';

/** Starts the health endpoint if there is a port for it. Loads the code of the endpoint only then. */
export async function startHealth(
  port: number | undefined,
  counting: RoleHealth,
  others: readonly RoleHealth[] = [],
): Promise<HealthServer | undefined> {
  if (port === undefined) return undefined;
  const { startHealthServer } = await import('../process/health-server.ts');
  try {
    return await startHealthServer(port, counting, others);
  } catch (error) {
    const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    const reason = isTaken ? `another program listens on port ${port}. Choose another port` : messageOf(error);
    throw new CommandError(`--health-port: ${reason}.`);
  }
}
