import { execFileSync } from 'node:child_process';
import { closeSync, ftruncateSync, mkdirSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

const BYTES = 24 * 1024 * 1024;
const CHUNK = Buffer.alloc(64 * 1024, 'x');

/** A disk of 24 MiB: a file with a separate file system, which can be filled, and break. Gone after the test. */
export class SmallDisk {
  readonly path: string;
  readonly #image: string;

  constructor() {
    const directory = mkdtempSync(join(tmpdir(), 'headrace-disk-'));
    this.#image = join(directory, 'image');
    this.path = join(directory, 'disk');
    mkdirSync(this.path);
    const image = openSync(this.#image, 'w');
    ftruncateSync(image, BYTES);
    closeSync(image);
    // No blocks are kept for root: tests run as root where they may mount at all.
    run('mkfs.ext4', '-q', '-m', '0', this.#image);
    this.mount();
    onTestFinished(() => {
      this.#unmount();
      rmSync(directory, { recursive: true, force: true });
    });
  }

  mount(): void {
    run('mount', '-o', 'loop', this.#image, this.path);
  }

  /** Takes all the space that is left. */
  fill(): void {
    const ballast = openSync(this.#ballast, 'a');
    try {
      for (;;) writeSync(ballast, CHUNK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      closeSync(ballast);
    }
  }

  /** Returns the space back. */
  empty(): void {
    rmSync(this.#ballast);
  }

  freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.path);
    return bavail * bsize;
  }

  /** Refuses all writes from now on, as a disk does after errors; open files are no exception. */
  fail(): void {
    run('mount', '-o', 'remount,abort', this.path);
  }

  /** Takes a failed disk away and brings it back whole. */
  repair(): void {
    this.#unmount();
    run('e2fsck', '-p', this.#image);
    this.mount();
  }

  get #ballast(): string {
    return join(this.path, 'ballast');
  }

  #unmount(): void {
    // Lazily: a process that was just killed may hold it for a moment.
    run('umount', '-l', this.path);
  }
}

function run(command: string, ...args: string[]): void {
  try {
    execFileSync(command, args, { stdio: 'pipe' });
  } catch (error) {
    // It corrected something, which is what it is for.
    if (command === 'e2fsck' && (error as { status?: number }).status === 1) return;
    throw error;
  }
}

/** Why there can be no small disk here; undefined: there can. */
export function noSmallDisk(): string | undefined {
  const directory = mkdtempSync(join(tmpdir(), 'headrace-disk-'));
  const image = join(directory, 'image');
  const path = join(directory, 'disk');
  try {
    mkdirSync(path);
    const file = openSync(image, 'w');
    ftruncateSync(file, 1024 * 1024);
    closeSync(file);
    run('mkfs.ext4', '-q', image);
    run('mount', '-o', 'loop', image, path);
    run('umount', path);
    return undefined;
  } catch (error) {
    return `a file cannot be mounted as a disk here: ${(error as Error).message.split('\n')[0]}`;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
