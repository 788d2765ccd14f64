/**
 * The part of the engine that the process of `headrace run` needs: it reads the config and prints problems. The threads
 * of the run do everything else, so this process does not load the rest.
 *
 * @module
 */
export type { LogRecord } from './component/logger.ts';
export { pluginPackages } from './component/plugin-classes.ts';
export type { RegistrySource } from './component/registry.ts';
export { type ReadConfig, type ReadConfigOptions, readConfigFile, readConfigText } from './config/read-config.ts';
export { SecretMask } from './config/secret-mask.ts';
export { counted } from './errors/counted.ts';
export { HeadraceError, messageOf, toFailure } from './errors/headrace-error.ts';
export { formatProblem, hasErrors, type Problem, withHint } from './errors/problem.ts';
export type { KeptFailure } from './failures/kept-failure.ts';
export { pendingDocuments } from './run/counters.ts';
export type { RunProgress } from './run/run-request.ts';
export type { RunResult } from './run/run-result.ts';
