import { CONNECTS, type ParameterProblem, READS, type Static, Type } from '@headrace/engine';

const pageSize = Type.Optional(Type.Integer({ minimum: 1 }));

const s3Parameters = Type.Object({
  accessKeyId: Type.Optional(Type.String()),
  secretAccessKey: Type.Optional(Type.String()),
  region: Type.Optional(Type.String()),
  endpoint: Type.Optional(Type.String(CONNECTS)),
  maxNumOfPages: pageSize,
});

const azureParameters = Type.Object({
  connectionString: Type.Optional(Type.String()),
  accountName: Type.Optional(Type.String()),
  accountKey: Type.Optional(Type.String()),
  maxNumOfPages: pageSize,
});

const gcpParameters = Type.Object({
  pathToServiceKey: Type.String(READS),
  endpoint: Type.Optional(Type.String(CONNECTS)),
  maxNumOfPages: pageSize,
});

/** The blocks that say how to reach the storages of the clouds: each makes the paths of its provider readable. */
export const storageParameters = {
  s3: Type.Optional(s3Parameters),
  azure: Type.Optional(azureParameters),
  gcp: Type.Optional(gcpParameters),
};

export type S3Settings = Static<typeof s3Parameters>;
export type AzureSettings = Static<typeof azureParameters>;
export type GcpSettings = Static<typeof gcpParameters>;

export interface StorageSettings {
  readonly s3?: S3Settings;
  readonly azure?: AzureSettings;
  readonly gcp?: GcpSettings;
}

/** Mistakes in the blocks that their schema cannot express: half a pair of keys, addresses that are none. */
export function* checkStorageSettings({ s3, azure, gcp }: StorageSettings): Generator<ParameterProblem> {
  if (s3 !== undefined && (s3.accessKeyId === undefined) !== (s3.secretAccessKey === undefined)) {
    yield {
      parameter: 's3',
      message: 's3 has only one of accessKeyId and secretAccessKey',
      hint: 'Give both, or neither: then the credentials of the environment or the machine are taken.',
    };
  }
  if (azure !== undefined && azure.connectionString === undefined) {
    if ((azure.accountName === undefined) !== (azure.accountKey === undefined)) {
      yield {
        parameter: 'azure',
        message: 'azure has only one of accountName and accountKey',
        hint: 'Give both, or connectionString.',
      };
    }
  }
  for (const [parameter, endpoint] of [
    ['s3.endpoint', s3?.endpoint],
    ['gcp.endpoint', gcp?.endpoint],
  ] as const) {
    if (endpoint !== undefined && !/^https?:\/\/[^/]/.test(endpoint)) {
      yield { parameter, message: `${parameter} must begin with http:// or https://, was "${endpoint}"` };
    }
  }
}
