import type { RunProgress } from '@headrace/engine';
import type { QueueState } from './consumer-lag.ts';

/** The state of a role, for health checks. */
export type RoleState = 'starting' | 'running' | 'restarting' | 'stopped' | 'failed';

/** The numbers of documents by result. */
export type RoleCounts = RunProgress['counts'];

export const NO_DOCUMENTS: RoleCounts = { published: 0, created: 0, succeeded: 0, failed: 0, dropped: 0 };

/** What a health endpoint reports about a role. */
export interface RoleHealth {
  readonly name: string;
  readonly state: RoleState;
  /** Why the role does not run. */
  readonly lastFailure: string | undefined;
  /** The number of restarts. */
  readonly restarts: number;
  readonly counts: RoleCounts;
  /** What the brokers say about the topic of the role. Never rejects. */
  queue(): Promise<QueueState>;
}
