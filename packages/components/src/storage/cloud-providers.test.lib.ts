import { withDefaults } from '@headrace/engine';
import { azureParameters, gcpParameters, type StorageSettings, s3Parameters } from './storage-parameters.ts';

const AZURITE_KEY = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';
const AZURITE_HOST = 'devstoreaccount1.blob.core.windows.net';

/** A bucket that no other test file uses: they share the servers. */
const BUCKET = `hr-${crypto.randomUUID()}`;

/** A storage provider: the settings for its test server, and a function that fills the server. */
export interface Provider {
  readonly base: string;
  readonly escapes: boolean;
  settings(url: string, pageSize?: number): StorageSettings;
  fill(url: string, objects: ReadonlyMap<string, string | Buffer>): Promise<void>;
}

export const s3: Provider = {
  base: `s3://${BUCKET}/`,
  escapes: true,
  settings: (url, maxNumOfPages) => ({
    s3: withDefaults(s3Parameters, {
      endpoint: url,
      accessKeyId: 'key',
      secretAccessKey: 'secret',
      ...(maxNumOfPages ? { maxNumOfPages } : {}),
    }),
  }),
  async fill(url, objects) {
    const { S3Client, CreateBucketCommand, PutObjectCommand } = await import('@aws-sdk/client-s3');
    const client = new S3Client({
      endpoint: url,
      forcePathStyle: true,
      region: 'us-east-1',
      credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
    });
    await client.send(new CreateBucketCommand({ Bucket: BUCKET })).catch(() => undefined);
    for (const [Key, Body] of objects) await client.send(new PutObjectCommand({ Bucket: BUCKET, Key, Body }));
    client.destroy();
  },
};

export const azure: Provider = {
  base: `https://${AZURITE_HOST}/${BUCKET}/`,
  escapes: false,
  settings: (url, maxNumOfPages) => ({
    azure: withDefaults(azureParameters, {
      connectionString: azuriteConnection(url),
      ...(maxNumOfPages ? { maxNumOfPages } : {}),
    }),
  }),
  async fill(url, objects) {
    const { BlobServiceClient } = await import('@azure/storage-blob');
    const container = BlobServiceClient.fromConnectionString(azuriteConnection(url)).getContainerClient(BUCKET);
    await container.createIfNotExists();
    for (const [name, text] of objects) await container.getBlockBlobClient(name).upload(text, Buffer.byteLength(text));
  },
};

export const gcs: Provider = {
  base: `gs://${BUCKET}/`,
  escapes: false,
  settings: (url, maxNumOfPages) => ({
    gcp: withDefaults(gcpParameters, {
      pathToServiceKey: '',
      endpoint: url,
      ...(maxNumOfPages ? { maxNumOfPages } : {}),
    }),
  }),
  async fill(url, objects) {
    const { Storage } = await import('@google-cloud/storage');
    const client = new Storage({ apiEndpoint: url, projectId: 'test' });
    await client.createBucket(BUCKET).catch(() => undefined);
    for (const [name, text] of objects) await client.bucket(BUCKET).file(name).save(text, { resumable: false });
  },
};

function azuriteConnection(url: string): string {
  const endpoint = `${url.replace(/\/+$/, '')}${/devstoreaccount1/.test(url) ? '' : '/devstoreaccount1'}`;
  return `DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=${AZURITE_KEY};BlobEndpoint=${endpoint};`;
}
