#!/usr/bin/env node
// Starts the command line. Older versions of Node can load this file too, and get a message about the required version.
import module from 'node:module';

const NEEDED = 26;
/**
 * The C library keeps what threads have freed, up to 64 MiB for each, also after they have ended. With a fixed threshold,
 * it immediately returns larger blocks to the system. It only reads this setting when a process starts.
 */
const ALLOCATOR = { MALLOC_MMAP_THRESHOLD_: String(256 * 1024) };

if (Number(process.versions.node.split('.')[0]) >= NEEDED) {
  const { argv, env, execArgv, execPath, platform } = process;
  // Only a service lasts longer than its runs. The process stays the same, but would lose the channel to a parent.
  if (argv[2] === 'serve' && platform === 'linux' && !('MALLOC_MMAP_THRESHOLD_' in env) && !process.connected) {
    process.execve(execPath, [execPath, ...execArgv, ...argv.slice(1)], { ...env, ...ALLOCATOR });
  }
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
