import { join } from 'node:path';
import { HeadraceError } from 'headrace/engine';
import { excerpt, HttpClient, headerText, safeUrl } from 'headrace/http';
import { makeModelFolder, writeModelFile } from '../local-files/model-files.ts';

export interface HubModel {
  /** The URL of the hub. */
  readonly hub: string;
  /** The name of the model: `owner/name`. */
  readonly name: string;
}

/** The weights are the last file: a folder with weights is complete. */
const WEIGHTS = 'model.safetensors';
const REQUIRED = ['config.json'];
const OPTIONAL = [
  'tokenizer.json',
  'tokenizer_config.json',
  'vocab.txt',
  'modules.json',
  'sentence_bert_config.json',
  '1_Pooling/config.json',
];
const REDIRECTS = 5;

/**
 * Downloads the files of a model from a hub with the protocol of Hugging Face into a folder. Throws
 * `HR_SOURCE_UNREADABLE` if the hub does not have the model, or if it has no weights as safetensors.
 */
export async function downloadModel(model: HubModel, folder: string): Promise<void> {
  const client = await HttpClient.open();
  try {
    await makeModelFolder(join(folder, '1_Pooling'));
    for (const file of [...REQUIRED, ...OPTIONAL, WEIGHTS]) {
      const body = await openFile(client, model, file);
      if (body !== undefined) await writeModelFile(join(folder, file), body);
      else if (!OPTIONAL.includes(file)) {
        throw new HeadraceError(
          'HR_SOURCE_UNREADABLE',
          `The model ${model.name} at ${safeUrl(model.hub)} has no ${file}`,
        );
      }
    }
  } finally {
    await client.close();
  }
}

/** Checks that the hub has a model. */
export async function checkModelAccess(model: HubModel): Promise<void> {
  const client = await HttpClient.open();
  try {
    if ((await openFile(client, model, 'config.json')) === undefined) {
      throw new HeadraceError('HR_SOURCE_UNREADABLE', `${safeUrl(model.hub)} has no model ${model.name}`);
    }
  } finally {
    await client.close();
  }
}

/** Returns the content of a file of a model; undefined if the hub does not have it. */
async function openFile(
  client: HttpClient,
  { hub, name }: HubModel,
  file: string,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  let url = `${hub.replace(/\/$/, '')}/${name}/resolve/main/${file}`;
  for (let redirects = 0; redirects <= REDIRECTS; redirects++) {
    const { status, headers, body } = await client.stream({ url });
    if (status === 200) return body;
    const location = headerText(headers, 'location');
    const answer: Buffer[] = [];
    for await (const chunk of body) if (answer.length === 0) answer.push(chunk);
    if (status === 404) return undefined;
    if (status < 300 || status >= 400 || location === undefined) {
      const hint = status === 401 ? 'The model does not exist, or needs an account.' : undefined;
      const message = `GET ${safeUrl(url)}: status ${status}: ${excerpt(Buffer.concat(answer), 200)}`;
      throw new HeadraceError('HR_SOURCE_UNREADABLE', message, hint === undefined ? {} : { hint });
    }
    url = new URL(location, url).href;
  }
  throw new HeadraceError('HR_SOURCE_UNREADABLE', `${safeUrl(url)} redirects more than ${REDIRECTS} times`);
}
