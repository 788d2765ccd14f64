import { mkdtempSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBoundary, type UsableBoundary } from '../boundary/index.ts';

/** Returns the programs of this machine, in a directory that can be a `PATH`. */
export function pathWith(...names: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'headrace-path-'));
  for (const name of names) symlinkSync(join('/usr/bin', name), join(folder, name));
  return folder;
}

/** Returns the boundaries of this machine: that of util-linux, and that of bubblewrap if it is installed. */
export async function boundariesHere(): Promise<[name: string, boundary: UsableBoundary][]> {
  const found = [await findBoundary([], pathWith('bwrap')), await findBoundary([], pathWith('unshare', 'setpriv'))];
  return found.flatMap((boundary) =>
    boundary.kind === 'none' ? [] : ([[boundary.kind, boundary]] as [string, UsableBoundary][]),
  );
}

/** Returns the process in a boundary: the last in the chain of children of the tool that made it. */
export function lockedIn(pid: number): number {
  for (let innermost = pid; ; ) {
    const [child = ''] = readFileSync(`/proc/${innermost}/task/${innermost}/children`, 'utf8').split(' ');
    if (child === '') return innermost;
    innermost = Number(child);
  }
}

/** Returns a number, in the unit of its line, from the kernel's text about a process. */
export function statusOf(pid: number, key: string): string {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return new RegExp(`^${key}:\\s*(\\S+)`, 'm').exec(status)?.[1] ?? '';
}
