// Terminates threads that load a model or compute, three at a time, at moments from the start of the process of the model
// to the middle of a batch. Then prints how many, and how many processes of models are left.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parentPort, threadName, Worker, workerData } from 'node:worker_threads';
import { RunLauncher } from '@headrace/engine/threads';
import { TokenModel } from '@headrace/local-models';

const GRAPH = process.argv[2];
const ROUNDS = 8;
const BATCH = Array.from({ length: 32 }, () => new Array(300).fill(1));

if (threadName === 'run') runPipeline(workerData);
else if (threadName === 'pipeline') await compute(workerData);
else await terminateThreads();

async function terminateThreads() {
  // Threads of a service have a launcher, which starts the thread that keeps the processes.
  const launcher = new RunLauncher({ heapMb: 256, keepWarm: false });
  let terminated = 0;
  const terminateOnce = async (name, moment) => {
    const thread = start(name, moment);
    await new Promise((resolve, reject) => thread.once('message', resolve).once('error', reject));
    await thread.terminate();
    terminated++;
  };
  const terminateEach = async (name) => {
    for (let round = 0; round < ROUNDS; round++) await terminateOnce(name, round % 4);
  };
  // Node ends the child threads of a thread of a run that is terminated, without asking it.
  await Promise.all(['pipeline', 'pipeline', 'run'].map(terminateEach));
  console.log(`terminated ${terminated}`);
  while (modelProcesses() > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  console.log(`left ${modelProcesses()}`);
  await launcher.close();
}

function start(name, moment) {
  return new Worker(new URL(import.meta.url), { name, argv: [GRAPH], workerData: moment });
}

function runPipeline(moment) {
  start('pipeline', moment).on('message', (message) => parentPort.postMessage(message));
}

/** Reports when to terminate this thread: 0 before the model is loaded, 1 after; 2 and 3 in its first and second batch. */
async function compute(moment) {
  const report = () => parentPort.postMessage('now');
  const opening = TokenModel.open(async () => readFileSync(GRAPH), { threads: 1 });
  if (moment === 0) report();
  const model = await opening;
  if (moment === 1) report();
  for (let batch = 2; ; batch++) {
    const computing = model.run(BATCH, 0, ['logits']);
    if (moment === batch) setImmediate(report);
    await computing;
  }
}

function modelProcesses() {
  const table = execFileSync('ps', ['-A', '-o', 'ppid=,args=']).toString().split('\n');
  return table.filter((row) => Number(row.trim().split(/ +/)[0]) === process.pid && !row.includes('ps -A')).length;
}
