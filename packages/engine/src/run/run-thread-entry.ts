import { parentPort, workerData } from 'node:worker_threads';
import { IdleLanes } from './idle-lanes.ts';
import type { ThreadData } from './thread-messages.ts';
import { passOnWarnings, printOnlyText } from './thread-output.ts';

/**
 * The entry of the thread of a run. It starts the pipeline threads before it loads its own code: they then load theirs
 * at the same time. Messages wait until `serveRun` listens.
 */

const port = parentPort;
if (port === null) throw new Error('run-thread-entry is the entry of a worker thread');
passOnWarnings();
printOnlyText();

const data = workerData as ThreadData;
const idle = new IdleLanes(data);
for (let i = 0; i < data.lanes; i++) idle.warm();
const { serveRun } = await import('./serve-run.ts');
serveRun(port, data, idle);
