import { HeadraceError } from 'headrace/engine';
import { StoreClient, StoreError } from './store-client.ts';

/** The version of the API whose requests this plugin sends. */
const API_VERSION = '2025-04';
export const CONTROL_PLANE = 'https://api.pinecone.io';
/** The states in which an index accepts no data. */
const UNUSABLE = new Set(['Initializing', 'InitializationFailed', 'Terminating']);

interface IndexDescription {
  readonly host?: string;
  readonly status?: { readonly state?: string };
}

/** The namespace without a name in the config, as in Lucille. It is not the unnamed namespace of Pinecone. */
export const DEFAULT_NAMESPACE = 'default';

/** An index of Pinecone. */
export interface PineconeIndex {
  readonly client: StoreClient;
  /** The URL of the index, without a slash at the end. */
  readonly url: string;
}

/** The parameters that name an index. */
export interface PineconeAccess {
  readonly apiKey: string;
  readonly index: string;
  readonly controlPlaneUrl?: string | undefined;
}

/** Opens an index. Throws if it does not exist, or if its state does not allow writing. */
export async function openPinecone(access: PineconeAccess, signal?: AbortSignal): Promise<PineconeIndex> {
  const headers = { 'api-key': access.apiKey.trim(), 'x-pinecone-api-version': API_VERSION };
  const client = await StoreClient.open('Pinecone', { headers });
  try {
    return { client, url: await hostOf(client, access, signal) };
  } catch (error) {
    await client.close();
    throw error;
  }
}

async function hostOf(
  client: StoreClient,
  { index, controlPlaneUrl = CONTROL_PLANE }: PineconeAccess,
  signal: AbortSignal | undefined,
): Promise<string> {
  let found: IndexDescription;
  try {
    const url = `${controlPlaneUrl.replace(/\/+$/, '')}/indexes/${encodeURIComponent(index)}`;
    found = (await client.read(url, signal)) as IndexDescription;
  } catch (error) {
    if (!(error instanceof StoreError) || error.status !== 404) throw error;
    throw new StoreError(404, `Pinecone has no index ${index}`, { hint: 'Create it, or correct the parameter index.' });
  }
  const { host, status } = found;
  const { state = '' } = status ?? {};
  if (host === undefined || UNUSABLE.has(state)) {
    throw new HeadraceError('HR_INDEXER_CONNECT', `The Pinecone index ${index} is not ready: its state is ${state}`, {
      hint: 'Wait until its state is Ready.',
    });
  }
  return /^https?:\/\//.test(host) ? host : `https://${host}`;
}

interface Page {
  readonly vectors?: readonly { readonly id: string }[];
  readonly pagination?: { readonly next?: string };
}

/** Yields the ids of a serverless index that begin with a prefix. */
export async function* listIds(
  { client, url }: PineconeIndex,
  namespace: string,
  prefix: string,
): AsyncGenerator<string> {
  let token: string | undefined;
  do {
    const query = new URLSearchParams({ prefix, namespace, limit: '100' });
    if (token !== undefined) query.set('paginationToken', token);
    const page = (await client.read(`${url}/vectors/list?${query}`)) as Page;
    for (const { id } of page.vectors ?? []) yield id;
    token = page.pagination?.next || undefined;
  } while (token !== undefined);
}
