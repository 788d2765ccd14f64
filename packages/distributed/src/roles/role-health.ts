import type { Notice, RunProgress, StageProgress } from '@headrace/engine';
import { IDLE_HEALTH, type ThreadHealth } from '../health/health-channel.ts';

/** The state of a role, for health checks. */
export type RoleState = 'starting' | 'running' | 'restarting' | 'stopped' | 'failed';

/** The numbers of documents by result. */
export type RoleCounts = RunProgress['counts'];

/** What a health endpoint reports about a role. */
export interface RoleHealth {
  readonly name: string;
  /** `running` if the role has reached its destination and joined its group. */
  readonly state: RoleState;
  /** Why the role does not run. */
  readonly lastFailure: string | undefined;
  /** The number of restarts. */
  readonly restarts: number;
  readonly counts: RoleCounts;
  /** The statistics of the stages that the role executes. */
  readonly stages: readonly StageProgress[];
  /** The notices of its components. */
  readonly notices: readonly Notice[];
  /** What the thread of the role reports. Never rejects. */
  health(): Promise<ThreadHealth>;
}

/** The health of a role that does not run. */
export function noHealth(problem: string | undefined): ThreadHealth {
  return { ...IDLE_HEALTH, problem };
}
