import type { TouchedFile } from '@headrace/engine';

/** Where files go; part of the block `fileOptions` of a config. */
export interface MoveSettings {
  readonly moveToAfterProcessing?: string;
  readonly moveToErrorFolder?: string;
}

export const MOVES = ['moveToAfterProcessing', 'moveToErrorFolder'] as const;

/**
 * Who moves a file changes the folder that it was in, too.
 * @param paths local ones, where files are read
 * @param prefix goes before the names of the parameters
 */
export function* movedAway(paths: readonly string[], moves: MoveSettings, prefix = ''): Generator<TouchedFile> {
  for (const name of MOVES) {
    if (moves[name] === undefined) continue;
    for (const path of paths) {
      yield { parameter: prefix + name, access: 'write', path, verb: 'move files out of' };
    }
  }
}
