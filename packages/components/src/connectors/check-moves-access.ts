import { accessHint, messageOf, type ReportProblem } from '@headrace/engine';
import { MOVES, type MoveSettings } from '../local-files/moved-files.ts';
import { requireWritableFolder } from '../local-files/writable-folder.ts';

/** Reports local target folders to which no file could be moved. */
export async function checkMovesAccess(moves: MoveSettings, report: ReportProblem, prefix = ''): Promise<void> {
  for (const name of MOVES) {
    const folder = moves[name];
    if (folder === undefined) continue;
    try {
      await requireWritableFolder(folder);
    } catch (error) {
      const hint = accessHint(error) ?? 'Name a folder that exists or can be created.';
      report({ parameter: prefix + name, message: `No file can be moved to ${folder}: ${messageOf(error)}`, hint });
    }
  }
}
