#!/usr/bin/env node
// Starts the command line. Older versions of Node can load this file too, and get a message about the required version.
import module from 'node:module';

const NEEDED = 26;
if (Number(process.versions.node.split('.')[0]) >= NEEDED) {
  module.enableCompileCache();
  // Threads read the path of the cache from the environment. Child processes other than Node ignore it.
  const cache = module.getCompileCacheDir();
  if (cache !== undefined) process.env.NODE_COMPILE_CACHE ??= cache;
  await import('../bundle/main.js');
} else {
  complain(
    `headrace needs Node.js ${NEEDED} or newer, and this is ${process.versions.node}. ` +
      `Install a newer one from https://nodejs.org/en/download, or with a version manager: nvm install ${NEEDED}`,
  );
  process.exitCode = 1;
}

/** Prints an error in the same format as the command line: JSON if a program reads the output of a run. */
function complain(msg) {
  const asJson = process.argv[2] === 'run' && !process.stderr.isTTY;
  console.error(asJson ? JSON.stringify({ level: 'error', time: Date.now(), logger: 'headrace', msg }) : msg);
}
