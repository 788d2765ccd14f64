import { createRequire } from 'node:module';
import { join } from 'node:path';
import { repository } from './headrace.ts';

const ffmpeg: { path: string } = createRequire(join(repository, 'plugins/video/package.json'))(
  '@ffmpeg-installer/ffmpeg',
);

/** The path of the program ffmpeg that the tests of the plugin video install: the machine may have none. */
export const ffmpegPath: string = ffmpeg.path;
