// Terminates threads that use a native library or a program, three at a time, at moments from the start of its process to
// the middle of its work. Then prints how many, and how many of its processes are left. The first argument is the module with the work.
import { execFileSync } from 'node:child_process';
import { parentPort, threadName, Worker, workerData } from 'node:worker_threads';
import { RunLauncher } from '@headrace/engine/threads';

const ROUNDS = 8;

if (threadName === 'run') runPipeline(workerData);
else if (threadName === 'pipeline') await work(workerData);
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
  while (helperProcesses() > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  console.log(`left ${helperProcesses()}`);
  await launcher.close();
}

function start(name, moment) {
  return new Worker(new URL(import.meta.url), { name, argv: process.argv.slice(2), workerData: moment });
}

function runPipeline(moment) {
  start('pipeline', moment).on('message', (message) => parentPort.postMessage(message));
}

/**
 * Reports when to terminate this thread: 0 before the library is open, 1 after; 2 and 3 in its first and second call. If a
 * call never ends, it has a promise that says when the program works, and 3 is after that.
 */
async function work(moment) {
  const report = () => parentPort.postMessage('now');
  const { open } = await import(process.argv[2]);
  const opening = open(process.argv[3]);
  if (moment === 0) report();
  const call = await opening;
  if (moment === 1) report();
  for (let number = 2; ; number++) {
    const calling = call(number);
    if (moment === number) setImmediate(report);
    else if (moment === 3) await calling.underWay?.then(report);
    await calling;
  }
}

function helperProcesses() {
  const table = execFileSync('ps', ['-A', '-o', 'ppid=,args=']).toString().split('\n');
  return table.filter((row) => Number(row.trim().split(/ +/)[0]) === process.pid && !row.includes('ps -A')).length;
}
