import type { Output, Schemas } from '@headrace/client';

export type RunDetails = Schemas['RunDetails'];
export type RunStatus = RunDetails['status'];
export type Problem = Schemas['Problem'];
export type ComponentInfo = Schemas['Component'];
/** A page of configs, as the service returns it for a request with `limit`. */
export type ConfigPage = Extract<Output<'GET /v1/config'>, { items: readonly unknown[] }>;
/** A page of runs, as the service returns it for a request with `limit`. */
export type RunPage = Extract<Output<'GET /v1/run'>, { items: readonly unknown[] }>;
export type FailurePage = Output<'GET /v1/run/{id}/failures'>;
export type FailureGroup = Output<'GET /v1/run/{id}/failures/groups'>['items'][number];
export type RunSample = Output<'GET /v1/run/{id}/samples'>['items'][number];
export type Failure = FailurePage['items'][number];
