import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { directoryWith, type Started, start } from '../cli/headrace.ts';

/** A service in a separate process, with a store that outlives it. */
export interface Served {
  readonly process: Started;
  readonly url: string;
}

/** Creates a folder for a service. `extra` is added to its service file. */
export function serviceDirectory(extra = ''): string {
  const directory = directoryWith();
  writeFileSync(
    join(directory, 'service.yml'),
    `server: { host: 127.0.0.1, port: 0 }\nstorage: { path: ${directory}/store }\n${extra}`,
  );
  return directory;
}

/** Starts the service of such a folder. Resolves when it answers. */
export async function serve(directory: string): Promise<Served> {
  const process = start(['serve', 'service.yml'], { cwd: directory });
  return { process, url: await addressOf(process) };
}

/** Resolves with the URL of a service that was just started. */
export async function addressOf(process: Started): Promise<string> {
  await process.said('stderr', 'Headrace serves http');
  return /Headrace serves (http:\/\/[^"\s]+)/.exec(process.output.stderr)?.[1] as string;
}

/** Kills the service without any warning, as a power failure would. */
export async function kill({ process }: Served): Promise<void> {
  process.child.kill('SIGKILL');
  await process.ended;
}

/** Uploads a HOCON config and returns its id. Rejects unless the upload was acknowledged. */
export async function upload(url: string, config: string): Promise<string> {
  const headers = { 'content-type': 'application/hocon' };
  const response = await fetch(`${url}/v1/config`, { method: 'POST', headers, body: config });
  if (response.status !== 200) throw new Error(`POST /v1/config: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { configId: string }).configId;
}

/** Uploads a new text for a named config and returns its version. Rejects unless the upload was acknowledged. */
export async function replace(url: string, name: string, config: string): Promise<number> {
  const headers = { 'content-type': 'application/hocon' };
  const response = await fetch(`${url}/v1/config/${name}`, { method: 'PUT', headers, body: config });
  if (!response.ok) throw new Error(`PUT /v1/config/${name}: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { version: number }).version;
}

export interface RunDetails {
  runId: string;
  done: boolean;
  status: string;
  progress: {
    waiting?: string;
    published: number;
    pending: number;
    succeeded: number;
    failed: number;
    dropped: number;
    docsPerSecond: number;
    connectors: { name: string; status: string }[];
  };
  runResult: { status: boolean; message: string } | null;
}

/** Starts a run of a config, and returns its details. */
export async function startRun(url: string, configId: string): Promise<RunDetails> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/v1/run`, { method: 'POST', headers, body: JSON.stringify({ configId }) });
  if (response.status !== 200) throw new Error(`POST /v1/run: ${response.status} ${await response.text()}`);
  return (await response.json()) as RunDetails;
}

export async function runDetails(url: string, runId: string): Promise<RunDetails> {
  return (await (await fetch(`${url}/v1/run/${runId}`)).json()) as RunDetails;
}

/** Waits for the end of a run, and returns its details. */
export async function finished(url: string, runId: string): Promise<RunDetails> {
  for (;;) {
    const details = await runDetails(url, runId);
    if (details.done) return details;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
