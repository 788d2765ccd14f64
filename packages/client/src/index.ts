export type { Operations, Schemas } from './api.generated.ts';
export { ApiError } from './api-error.ts';
export {
  type ClientOptions,
  HeadraceClient,
  type Input,
  type OperationName,
  type Output,
  type Reply,
} from './client.ts';
export type { RunEvent, WatchOptions } from './watch-run.ts';
