import type { TouchedFile } from '@headrace/engine';

/** The target folders of moved files; part of the block `fileOptions` of a config. */
export interface MoveSettings {
  readonly moveToAfterProcessing?: string;
  readonly moveToErrorFolder?: string;
}

export const MOVES = ['moveToAfterProcessing', 'moveToErrorFolder'] as const;

/**
 * Reports the source folders of moved files as changed: a move also changes the folder that the file was in.
 * @param paths local paths from which files are read
 * @param prefix the prefix of the parameter names
 */
export function* movedAway(paths: readonly string[], moves: MoveSettings, prefix = ''): Generator<TouchedFile> {
  for (const name of MOVES) {
    if (moves[name] === undefined) continue;
    for (const path of paths) {
      yield { parameter: prefix + name, access: 'write', path, verb: 'move files out of' };
    }
  }
}
