#!/usr/bin/env node
// Starts the command line on Node 26. This file itself runs on older versions too: there it hands over to the
// binary that the package `node` has brought along.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NEEDED = 26;

if (Number(process.versions.node.split('.')[0]) >= NEEDED) {
  module.enableCompileCache();
  // Threads look for the cache in the environment; children that are no Node of ours do not mind.
  const cache = module.getCompileCacheDir();
  if (cache !== undefined) process.env.NODE_COMPILE_CACHE ??= cache;
  await import('../dist/main.js');
} else {
  // What was handed over to a Node that is too old as well ends here.
  const node = process.env.HEADRACE_LAUNCHED === undefined ? bundledNode() : undefined;
  if (node === undefined) {
    complain(
      `headrace needs Node.js ${NEEDED} or newer, and this is ${process.versions.node}. ` +
        'Install a newer one, or reinstall headrace with install scripts allowed: its dependency `node` brings one.',
    );
    process.exitCode = 1;
  } else handOver(node);
}

/** As the command line itself: what a program reads of a run is JSON. */
function complain(msg) {
  const asJson = process.argv[2] === 'run' && !process.stderr.isTTY;
  console.error(asJson ? JSON.stringify({ level: 'error', time: Date.now(), logger: 'headrace', msg }) : msg);
}

/** The binary that the package `node` has installed; undefined when its install script did not run. */
function bundledNode() {
  try {
    const home = dirname(module.createRequire(import.meta.url).resolve('node/package.json'));
    return ['node', 'node.exe'].map((name) => join(home, 'bin', name)).find((path) => existsSync(path));
  } catch {
    return undefined;
  }
}

/**
 * Runs the command line in a child and is transparent to whoever started this process. The channel between the
 * two is never written to: its end tells the child that this process is gone, however it went.
 */
function handOver(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, HEADRACE_LAUNCHED: '1' },
  });
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'].filter((name) => name in constants.signals);
  const forward = (signal) => child.kill(signal);
  for (const signal of signals) process.on(signal, forward);
  child.on('error', (error) => {
    complain(`headrace cannot start ${node}: ${error.message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    if (signal === null) {
      process.exitCode = code ?? 1;
      return;
    }
    // To end in the way the child did, so that a shell sees the signal.
    for (const name of signals) process.off(name, forward);
    process.kill(process.pid, signal);
  });
}
