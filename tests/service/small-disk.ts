import { execFileSync } from 'node:child_process';
import { closeSync, ftruncateSync, mkdirSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

const BYTES = 24 * 1024 * 1024;
const CHUNK = Buffer.alloc(64 * 1024, 'x');

/** A disk of 24 MiB in a file, with a separate file system, which a test can fill or break. Removed after the test. */
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
    // No blocks are reserved for root, because tests that may mount run as root.
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

  /** Fills the remaining space. */
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

  /** Frees the space again. */
  empty(): void {
    rmSync(this.#ballast);
  }

  freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.path);
    return bavail * bsize;
  }

  /** Makes all writes fail from now on, as a disk does after errors. Open files are affected too. */
  fail(): void {
    run('mount', '-o', 'remount,abort', this.path);
  }

  /** Repairs a failed disk, and mounts it again. */
  repair(): void {
    this.#unmount();
    run('e2fsck', '-p', this.#image);
    this.mount();
  }

  get #ballast(): string {
    return join(this.path, 'ballast');
  }

  #unmount(): void {
    // `-l` unmounts even if a killed process still uses the disk for a moment.
    run('umount', '-l', this.path);
  }
}

function run(command: string, ...args: string[]): void {
  try {
    execFileSync(command, args, { stdio: 'pipe' });
  } catch (error) {
    // Exit code 1 means that e2fsck corrected errors, which is its purpose.
    if (command === 'e2fsck' && (error as { status?: number }).status === 1) return;
    throw error;
  }
}

/** Returns why this machine cannot create a small disk, or undefined if it can. */
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
