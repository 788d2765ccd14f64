import { CONNECTS, capped, type ParameterProblem, READS, type Static, Type } from '@headrace/engine';
import { checkTrust, tlsParameter } from '../http/tls/tls-parameter.ts';

const pageSize = Type.Optional(Type.Integer({ minimum: 1, ...capped('maxItems') }));

/** The TLS settings of each block. */
const trust = {
  /** The certificates for TLS, as PEM files. */
  tls: tlsParameter,
  /** Whether to accept any certificate of the server, for tests only. */
  acceptInvalidCert: Type.Boolean({ default: false }),
};

export const s3Parameters = Type.Object({
  /** The id of the access key; needs secretAccessKey. */
  accessKeyId: Type.Optional(Type.String()),
  /** The secret of the access key. */
  secretAccessKey: Type.Optional(Type.String()),
  /** The region of the buckets. Defaults to the region of the environment. */
  region: Type.Optional(Type.String()),
  /** The URL of another server with the S3 protocol. */
  endpoint: Type.Optional(Type.String(CONNECTS)),
  /** Whether requests have no credentials, for public buckets. */
  anonymous: Type.Boolean({ default: false }),
  /** Whether your account pays for the requests. Buckets with requester pays refuse all other requests. */
  requesterPays: Type.Boolean({ default: false }),
  /** The key of objects that are encrypted with a key of the customer (SSE-C): 32 bytes in base64. */
  sseCustomerKey: Type.Optional(Type.String()),
  /**
   * The maximum number of files in one page of a listing. Defaults to the limit of the provider. Only FileConnector
   * lists files.
   */
  maxNumOfPages: pageSize,
  ...trust,
});

export const azureParameters = Type.Object({
  /** The connection string of the account. It may name an endpoint. */
  connectionString: Type.Optional(Type.String()),
  /** The name of the account; needs accountKey, or anonymous. */
  accountName: Type.Optional(Type.String()),
  /** The key of the account. */
  accountKey: Type.Optional(Type.String()),
  /** Whether requests have no credentials, for public containers of accountName. */
  anonymous: Type.Boolean({ default: false }),
  /** The URL of another server with the protocol of Azure Blob Storage, for anonymous requests. */
  endpoint: Type.Optional(Type.String(CONNECTS)),
  /**
   * The maximum number of files in one page of a listing. Defaults to the limit of the provider. Only FileConnector
   * lists files.
   */
  maxNumOfPages: pageSize,
  ...trust,
});

export const gcpParameters = Type.Object({
  /** The file with the key of a service account. If empty, the credentials of the machine are used. */
  pathToServiceKey: Type.String(READS),
  /** The URL of another server with the protocol of Google Cloud Storage. */
  endpoint: Type.Optional(Type.String(CONNECTS)),
  /** Whether requests have no credentials, for public buckets. */
  anonymous: Type.Boolean({ default: false }),
  /** The id of the project that pays for the requests. Buckets with requester pays refuse all other requests. */
  userProject: Type.Optional(Type.String()),
  /**
   * The maximum number of files in one page of a listing. Defaults to the limit of the provider. Only FileConnector
   * lists files.
   */
  maxNumOfPages: pageSize,
  ...trust,
});

/** The config blocks for cloud storage. Each block makes the paths of its provider readable. */
export const storageParameters = {
  /** Makes s3: paths readable. Without keys here, the credentials of the environment or the machine are used. */
  s3: Type.Optional(s3Parameters),
  /**
   * Makes https: paths of Azure Blob Storage readable. Without credentials here, those in
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

/** Reports mistakes in the blocks that their schema cannot express: incomplete key pairs and invalid URLs. */
export function* checkStorageSettings({ s3, azure, gcp }: StorageSettings): Generator<ParameterProblem> {
  if (s3 !== undefined && (s3.accessKeyId === undefined) !== (s3.secretAccessKey === undefined)) {
    yield {
      parameter: 's3',
      message: 's3 has only one of accessKeyId and secretAccessKey',
      hint: 'Set both or none. Without them, the credentials of the environment or the machine are used.',
    };
  }
  if (s3?.anonymous === true && s3.accessKeyId !== undefined) {
    yield {
      parameter: 's3.anonymous',
      message: 's3 has both anonymous and accessKeyId',
      hint: 'Remove one of them.',
    };
  }
  if (s3?.sseCustomerKey !== undefined && !isCustomerKey(s3.sseCustomerKey)) {
    yield {
      parameter: 's3.sseCustomerKey',
      message: 's3.sseCustomerKey is not a key of 32 bytes in base64',
      hint: 'Create one: openssl rand -base64 32.',
    };
  }
  if (azure?.anonymous === true) {
    if (azure.accountName === undefined || azure.accountKey !== undefined || azure.connectionString !== undefined) {
      yield {
        parameter: 'azure.anonymous',
        message: 'azure.anonymous needs accountName, and no accountKey or connectionString',
      };
    }
  } else if (azure !== undefined && azure.connectionString === undefined) {
    if ((azure.accountName === undefined) !== (azure.accountKey === undefined)) {
      yield {
        parameter: 'azure',
        message: 'azure has only one of accountName and accountKey',
        hint: 'Set both, or set connectionString.',
      };
    }
  }
  yield* checkTrust('s3.', urlsOf(s3?.endpoint), s3 ?? {});
  yield* checkTrust('azure.', urlsOf(blobEndpoint(azure)), azure ?? {});
  yield* checkTrust('gcp.', urlsOf(gcp?.endpoint), gcp ?? {});
  if (gcp?.anonymous === true && gcp.pathToServiceKey !== '') {
    yield {
      parameter: 'gcp.anonymous',
      message: 'gcp has both anonymous and pathToServiceKey',
      hint: 'Set pathToServiceKey: "".',
    };
  }
  for (const [parameter, endpoint] of [
    ['s3.endpoint', s3?.endpoint],
    ['azure.endpoint', azure?.endpoint],
    ['gcp.endpoint', gcp?.endpoint],
  ] as const) {
    if (endpoint !== undefined && !/^https?:\/\/[^/]/.test(endpoint)) {
      yield { parameter, message: `${parameter} must begin with http:// or https://, was "${endpoint}"` };
    }
  }
}

/** Returns the endpoint in a connection string. Without one, the endpoint is that of Azure, which uses https. */
function blobEndpoint(azure: AzureSettings | undefined): string | undefined {
  if (azure?.endpoint !== undefined) return azure.endpoint;
  return /(?:^|;)\s*BlobEndpoint=([^;]*)/i.exec(azure?.connectionString ?? '')?.[1];
}

function urlsOf(endpoint = ''): URL[] {
  const url = URL.parse(endpoint);
  return url === null ? [] : [url];
}

function isCustomerKey(text: string): boolean {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === 32 && bytes.toString('base64') === text;
}
