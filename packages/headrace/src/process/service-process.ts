import { getCompileCacheDir } from 'node:module';
import { SERVICE_FLAGS } from '@headrace/engine/threads';

/**
 * The C library keeps what threads have freed, up to 64 MiB for each, also after they have ended. With a fixed threshold,
 * it immediately returns larger blocks to the system. It only reads this setting when a process starts.
 */
const ALLOCATOR = { MALLOC_MMAP_THRESHOLD_: String(256 * 1024) };

/**
 * Starts this process again, with settings for a process that lasts longer than its runs. Its id stays the same. Returns
 * if it already has these settings, or cannot be started again: it would lose the channel to a parent that is a Node
 * process, and only Linux replaces a process.
 */
export function becomeService(): void {
  const { argv, env, execArgv, execPath, platform } = process;
  if (platform !== 'linux' || 'MALLOC_MMAP_THRESHOLD_' in env || process.connected) return;
  // With other flags, V8 cannot use the compiled code of this process, so that Node uses another folder for it.
  const { NODE_COMPILE_CACHE: cache, ...others } = env;
  const kept = cache === getCompileCacheDir() ? others : env;
  process.execve?.(execPath, [execPath, ...SERVICE_FLAGS, ...execArgv, ...argv.slice(1)], { ...kept, ...ALLOCATOR });
}
