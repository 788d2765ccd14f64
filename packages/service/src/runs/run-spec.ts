import type { Overlap } from '../api/overlap.ts';
import type { ConfigIdentity, ConfigSource } from '../configs/config-source.ts';

/** The sender of a request and the id of the request; or the user and the time of a schedule. */
export interface Caller {
  /** The name of the user; null without authentication. */
  requestedBy: string | null;
  requestId?: string;
  /** The time of the schedule that starts the run. */
  scheduledTime?: number;
}

/** All that is needed to start a run. Its config has already been read. */
export interface RunSpec extends Caller {
  /** The stored config or the preset; undefined if the config came with the request. */
  config: ConfigIdentity | undefined;
  source: ConfigSource;
  /** The values that replace values of the config, with secrets masked. */
  overrides?: Record<string, unknown> | undefined;
  overlap: Overlap;
  /** The run whose failed documents this run processes again, instead of executing the connectors. */
  retryOf?: string;
  /** The group of failed documents that a retry processes. Default: all groups. */
  retryGroup?: string | undefined;
  labels: Record<string, string>;
}
