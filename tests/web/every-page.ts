import { serviceForFile } from './service.ts';

const CONFIG = `
connectors: [{ class: SequenceConnector, name: numbers, pipeline: main, numDocs: 5 }]
pipelines: [{ name: main, stages: [{ class: ApplyJavascript, name: picky, script: "if (doc.id == 3) throw new Error('no')" }] }]
indexer { class: NopIndexer }
`;

/** Every page, with a text that it shows when it is complete. */
export const PAGES: readonly (readonly [name: string, path: string, shows: string])[] = [
  ['the overview', '/', 'Latest'],
  ['the guided form', '/load', 'Path of a CSV or JSON file'],
  ['the configs', '/configs', 'Changed'],
  ['the editor', '/configs/CONFIG', 'SequenceConnector'],
  ['the preview', '/configs/CONFIG/preview', 'picky'],
  ['the runs of a config', '/configs/CONFIG/runs', 'Succeeded with failures'],
  ['the schedule of a config', '/configs/CONFIG/schedule', 'Every day at 03:00'],
  ['the versions of a config', '/configs/CONFIG/versions', 'oldest stored version'],
  ['the runs', '/runs', 'Succeeded with failures'],
  ['a run', '/runs/RUN', 'RUN SUMMARY'],
  ['the stages of a run', '/runs/RUN/stages', 'Share of the time'],
  ['the failures of a run', '/runs/RUN/failures', 'HR_'],
  ['the log of a run', '/runs/RUN/log?level=info', 'Starting run'],
  ['the config of a run', '/runs/RUN/config', 'Version 1'],
  ['the comparison of runs', '/runs/compare?a=RUN&b=RUN', 'Mean time per document'],
  ['the components', '/components', 'SplitFieldValues'],
  ['a component', '/components/SplitFieldValues', 'Splits the texts of a field'],
  ['the system', '/system', 'Checks'],
  ['a config that does not exist', '/configs/none', 'There is no config none'],
  ['an unknown address', '/runs/a/b/c', 'This page does not exist'],
];

/**
 * Starts a service that has something to show on every page: a config with a schedule, and a run with a failed document.
 * Returns the address of a path of `PAGES`.
 * @param settings what is added to the service file
 * @param authorization the header of a user with the role admin, if the service has users
 */
export async function serviceWithEveryPage(settings = '', authorization = ''): Promise<(path: string) => string> {
  const url = await serviceForFile(settings);
  const send = async <T>(method: string, path: string, type: string, body: string): Promise<T> => {
    const headers = { 'content-type': type, ...(authorization === '' ? {} : { authorization }) };
    const response = await fetch(url + path, { method, headers, body });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };
  const json = 'application/json';
  const { configId } = await send<{ configId: string }>('POST', '/v1/config', 'application/hocon', CONFIG);
  const { runId } = await send<{ runId: string }>('POST', '/v1/run', json, JSON.stringify({ configId }));
  const headers = authorization === '' ? {} : { authorization };
  // The stream of its events ends with the run.
  await (await fetch(`${url}/v1/run/${runId}/events`, { headers })).text();
  await send('PUT', `/v1/config/${configId}/schedule`, json, '{"cron": "0 3 * * *"}');
  return (path) => url + path.replace('CONFIG', configId).replaceAll('RUN', runId);
}
