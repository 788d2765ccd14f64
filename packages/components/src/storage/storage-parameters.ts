import { CONNECTS, type ParameterProblem, READS, type Static, Type } from '@headrace/engine';
import { checkTrust, tlsParameter } from '../http/tls/tls-parameter.ts';

const pageSize = Type.Optional(Type.Integer({ minimum: 1 }));

/** How each of the blocks trusts servers. */
const trust = {
  /** Certificates, in PEM files. */
  tls: tlsParameter,
  /** Whether any certificate of the server is accepted, for tests. Defaults to false. */
  acceptInvalidCert: Type.Optional(Type.Boolean({ default: false })),
};

const s3Parameters = Type.Object({
  /** The id of the access key; needs secretAccessKey. */
  accessKeyId: Type.Optional(Type.String()),
  /** The secret of the access key. */
  secretAccessKey: Type.Optional(Type.String()),
  /** The region of the buckets. Defaults to that of the environment. */
  region: Type.Optional(Type.String()),
  /** The URL of another server that speaks the protocol of S3. */
  endpoint: Type.Optional(Type.String(CONNECTS)),
  /**
   * How many files a request for a listing asks for. Defaults to what the provider gives. Only FileConnector lists
   * files.
   */
  maxNumOfPages: pageSize,
  ...trust,
});

const azureParameters = Type.Object({
  /** The connection string of the account. It may name an endpoint. */
  connectionString: Type.Optional(Type.String()),
  /** The name of the account; needs accountKey. */
  accountName: Type.Optional(Type.String()),
  /** The key of the account. */
  accountKey: Type.Optional(Type.String()),
  /**
   * How many files a request for a listing asks for. Defaults to what the provider gives. Only FileConnector lists
   * files.
   */
  maxNumOfPages: pageSize,
  ...trust,
});

const gcpParameters = Type.Object({
  /** The file with the key of a service account; empty for the credentials of the machine. */
  pathToServiceKey: Type.String(READS),
  /** The URL of another server that speaks the protocol of Google Cloud Storage. */
  endpoint: Type.Optional(Type.String(CONNECTS)),
  /**
   * How many files a request for a listing asks for. Defaults to what the provider gives. Only FileConnector lists
   * files.
   */
  maxNumOfPages: pageSize,
  ...trust,
});

/** The config blocks for cloud storage. Each block makes the paths of its provider readable. */
export const storageParameters = {
  /** Makes s3: paths readable. Without keys in it, the credentials of the environment or the machine are used. */
  s3: Type.Optional(s3Parameters),
  /**
   * Makes https: paths of Azure Blob Storage readable. Without credentials in it, those in
   * AZURE_STORAGE_CONNECTION_STRING are used.
   */
  azure: Type.Optional(azureParameters),
  /** Makes gs: paths readable. */
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
