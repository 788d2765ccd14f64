import { CONNECTS, type ParameterProblem, READS, type Static, Type } from '@headrace/engine';
import { checkTrust, tlsParameter } from '../http/tls/tls-parameter.ts';

const pageSize = Type.Optional(Type.Integer({ minimum: 1 }));

/** How each of the blocks trusts servers. */
const trust = {
  tls: tlsParameter,
  acceptInvalidCert: Type.Optional(Type.Boolean({ default: false })),
};

const s3Parameters = Type.Object({
  accessKeyId: Type.Optional(Type.String()),
  secretAccessKey: Type.Optional(Type.String()),
  region: Type.Optional(Type.String()),
  endpoint: Type.Optional(Type.String(CONNECTS)),
  maxNumOfPages: pageSize,
  ...trust,
});

const azureParameters = Type.Object({
  connectionString: Type.Optional(Type.String()),
  accountName: Type.Optional(Type.String()),
  accountKey: Type.Optional(Type.String()),
  maxNumOfPages: pageSize,
  ...trust,
});

const gcpParameters = Type.Object({
  pathToServiceKey: Type.String(READS),
  endpoint: Type.Optional(Type.String(CONNECTS)),
  maxNumOfPages: pageSize,
  ...trust,
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
  yield* checkTrust('s3.', urlsOf(s3?.endpoint), s3 ?? {});
  yield* checkTrust('azure.', urlsOf(blobEndpoint(azure)), azure ?? {});
  yield* checkTrust('gcp.', urlsOf(gcp?.endpoint), gcp ?? {});
  for (const [parameter, endpoint] of [
    ['s3.endpoint', s3?.endpoint],
    ['gcp.endpoint', gcp?.endpoint],
  ] as const) {
    if (endpoint !== undefined && !/^https?:\/\/[^/]/.test(endpoint)) {
      yield { parameter, message: `${parameter} must begin with http:// or https://, was "${endpoint}"` };
    }
  }
}

/** The endpoint that a connection string names; one without is that of Azure, of https. */
function blobEndpoint(azure: AzureSettings | undefined): string | undefined {
  return /(?:^|;)\s*BlobEndpoint=([^;]*)/i.exec(azure?.connectionString ?? '')?.[1];
}

function urlsOf(endpoint = ''): URL[] {
  const url = URL.parse(endpoint);
  return url === null ? [] : [url];
}
