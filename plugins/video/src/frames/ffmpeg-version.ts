import { text } from 'node:stream/consumers';
import { ChildProgram, HeadraceError } from 'headrace/engine';
import { confinement, ENVIRONMENT } from './read-frames.ts';

/** The first version that reads an open file by its number, so that ffmpeg need not see any folder. */
const OLDEST = 6;

const known = new Map<string, Promise<string>>();

/**
 * Throws `HR_LIBRARY_MISSING` if the program is an ffmpeg that is too old. A build without a version number, of the
 * current source, is not.
 */
export async function requireVersion(program: string): Promise<void> {
  let asked = known.get(program);
  if (asked === undefined) {
    asked = versionOf(program);
    known.set(program, asked);
    asked.catch(() => known.delete(program));
  }
  const version = await asked;
  if (version === '' || Number.parseInt(version, 10) >= OLDEST) return;
  throw new HeadraceError('HR_LIBRARY_MISSING', `${program} is ffmpeg ${version}, which is too old`, {
    hint: `Install ffmpeg ${OLDEST}.0 or newer, or set ffmpegPath to its path.`,
  });
}

/** Returns the number of a release, such as `7.1.2`, or an empty text. */
async function versionOf(program: string): Promise<string> {
  const ffmpeg = ChildProgram.start(program, ['-version'], { env: ENVIRONMENT, confined: confinement(program) });
  const [output] = await Promise.all([text(ffmpeg.stdout), text(ffmpeg.stderr), ffmpeg.ended]);
  return /^ffmpeg version n?(\d+(?:\.\d+)*)/.exec(output)?.[1] ?? '';
}
