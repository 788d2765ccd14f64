import { silentLogger } from '../component/logger.ts';
import { Registry } from '../component/registry.ts';
import { HeadraceError, toFailure } from '../errors/headrace-error.ts';
import { formatProblem } from '../errors/problem.ts';
import { silentNotices } from '../notices/notice.ts';
import { checkConfig } from './check-config.ts';
import type { ReachRequest } from './reach-config.ts';

/** A request to undo a run. */
export interface RollbackRequest extends ReachRequest {
  /** The run to undo. Undefined for the run whose output is in use. */
  readonly runId?: string;
}

/**
 * Puts the previous output of a config into use again, as its indexer does it. Returns a sentence that says what
 * changed. Throws a `HeadraceError` if nothing changed.
 */
export async function rollbackConfig({ root, registry: source, runId }: RollbackRequest): Promise<string> {
  const registry = await Registry.open(source);
  const { config, problems } = await checkConfig(root, registry);
  if (config === undefined) {
    const errors = problems.filter(({ severity }) => severity === 'error').map((problem) => formatProblem(problem));
    throw new HeadraceError('HR_ROLLBACK_FAILED', `The config is invalid: ${errors.join('; ')}`);
  }
  const { entry, params, settings } = config.indexer;
  const Class = await registry.load(entry, 'indexer');
  const indexer = new Class(params as never, { runId: '', log: silentLogger, notices: silentNotices, settings });
  if (indexer.rollback === undefined) {
    throw new HeadraceError('HR_ROLLBACK_FAILED', `${entry.name} cannot put a previous output into use again`);
  }
  try {
    return await indexer.rollback(runId);
  } catch (error) {
    throw HeadraceError.of(toFailure(error, 'HR_ROLLBACK_FAILED'));
  }
}
