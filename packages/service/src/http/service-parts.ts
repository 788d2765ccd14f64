import type { Registry } from '@headrace/engine';
import type { FastifyBaseLogger } from 'fastify';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Authenticator } from '../auth/authenticator.ts';
import type { Configs } from '../configs/configs.ts';
import type { UploadReader } from '../configs/upload-reader.ts';
import type { UploadedFiles } from '../files/uploaded-files.ts';
import type { Previews } from '../runs/previews.ts';
import type { RunCreator } from '../runs/run-creator.ts';
import type { RunManager } from '../runs/run-manager.ts';
import type { RunRetries } from '../runs/run-retries.ts';
import type { RunRollbacks } from '../runs/run-rollbacks.ts';
import type { Schedules } from '../schedules/schedules.ts';
import type { ServiceSettings } from '../settings/service-settings.ts';
import type { Measurements } from '../stats/measurements.ts';
import type { SystemHistory } from '../stats/system-history.ts';
import type { SystemMeter } from '../stats/system-stats.ts';
import type { Readiness } from './readiness.ts';

/** The parts of the service that the endpoints use. */
export interface ServiceParts {
  configs: Configs;
  reader: UploadReader;
  runs: RunManager;
  creator: RunCreator;
  retries: RunRetries;
  rollbacks: RunRollbacks;
  schedules: Schedules;
  previews: Previews;
  files: UploadedFiles;
  registry: Registry;
  readiness: Readiness;
  measurements: Measurements;
  system: SystemMeter;
  history: SystemHistory;
  /** Undefined without authentication: everyone may do everything. */
  authenticator: Authenticator | undefined;
  logger: FastifyBaseLogger;
  maxConfigBytes: number;
  settings: ServiceSettings;
  /** Undefined if the service has no audit log. */
  audit: AuditLog | undefined;
}
