import type { Overlap } from '../api/overlap.ts';
import type { ConfigIdentity, ConfigSource } from '../configs/config-source.ts';

/** Who sent a request, and the id of that request. */
export interface Caller {
  /** The name of the user; null without authentication. */
  requestedBy: string | null;
  requestId?: string;
}

/** Everything that is needed to start a run: its config has been found and read. */
export interface RunSpec extends Caller {
  /** The stored config or the preset; undefined if the config came with the request. */
  config: ConfigIdentity | undefined;
  source: ConfigSource;
  /** The values that replaced values of the config, with secrets masked. */
  overrides?: Record<string, unknown> | undefined;
  overlap: Overlap;
  /** The run whose failed documents this run processes again, instead of executing the connectors. */
  retryOf?: string;
  labels: Record<string, string>;
}
