import { ChildProgram } from 'headrace/engine';
import { FrameLog } from './frame-log.ts';
import { type ImageSize, sizeOf, splitImages } from './split-images.ts';

/** A frame of a video. */
export interface Frame extends ImageSize {
  /** The number of the frame among all frames of the video, from 0. */
  readonly index: number;
  /** The presentation time in milliseconds. Undefined if the video does not have it. */
  readonly millis: number | undefined;
  /** The image as PNG. */
  readonly image: Uint8Array<ArrayBuffer>;
}

export interface FrameOptions {
  /** The path of ffmpeg. */
  readonly program: string;
  /** Every n-th frame is read. */
  readonly stride: number;
  /** This signal is aborted when ffmpeg must end. */
  readonly signal: AbortSignal;
  /** Receives the errors of a video that was read to its end. */
  readonly warn: (message: string) => void;
}

const MAX_FRAME_BYTES = 256 * 1024 ** 2;

/**
 * The containers that ffmpeg may read. Others are missing because they can name more files and addresses, which the
 * video of an attacker could make ffmpeg read.
 */
const CONTAINERS = [
  'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,flv,live_flv,mpegts,mpeg,mpegvideo,m4v,h264,hevc,av1,ivf,obu,ogg,asf,mxf',
  'gif,apng,rm,swf,wtv,nut,dv,gxf,nsv,vob,yuv4mpegpipe,h261,h263,vc1,dirac,mjpeg,avs,bink,flic,roq,nuv,amv',
].join(',');

/**
 * Yields every n-th frame of a video with ffmpeg. ffmpeg waits while the caller uses a frame, so frames never pile up.
 * ffmpeg ends when the caller stops, and when the signal is aborted. Throws with the errors of ffmpeg if the video
 * cannot be read.
 * @param video the descriptor of an open file
 */
export async function* readFrames(video: number, options: FrameOptions): AsyncGenerator<Frame> {
  const { signal } = options;
  if (signal.aborted) return;
  const run = new Run(video, options, '-fps_mode');
  yield* run.frames();
  // ffmpeg has this option since version 5.1.
  if (!run.problems.some((problem) => problem.includes('fps_mode'))) {
    run.check();
    return;
  }
  const older = new Run(video, options, '-vsync');
  yield* older.frames();
  older.check();
}

/** One run of ffmpeg. */
class Run {
  readonly #video: number;
  readonly #options: FrameOptions;
  /** The option that makes ffmpeg write each frame exactly once. */
  readonly #timing: string;
  #log: FrameLog | undefined;
  #count = 0;
  #exitCode: number | null = null;

  constructor(video: number, options: FrameOptions, timing: string) {
    this.#video = video;
    this.#options = options;
    this.#timing = timing;
  }

  get problems(): readonly string[] {
    return this.#log?.problems ?? [];
  }

  async *frames(): AsyncGenerator<Frame> {
    const { program, stride, signal } = this.#options;
    // It gets no other variables, because they may hold secrets.
    const { PATH, LD_LIBRARY_PATH } = process.env;
    const ffmpeg = ChildProgram.start(program, this.#arguments(), {
      env: { PATH, LD_LIBRARY_PATH, LC_ALL: 'C' },
      files: [this.#video],
    });
    const kill = () => ffmpeg.kill();
    signal.addEventListener('abort', kill);
    // It may be aborted since it was checked.
    if (signal.aborted) kill();
    try {
      this.#log = new FrameLog(ffmpeg.stderr);
      for await (const image of splitImages(ffmpeg.stdout, MAX_FRAME_BYTES)) {
        const millis = await this.#log.nextTime();
        if (signal.aborted) return;
        yield { index: this.#count * stride, millis, image, ...sizeOf(image) };
        this.#count++;
      }
      this.#exitCode = (await ffmpeg.ended).code;
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      signal.removeEventListener('abort', kill);
      kill();
      await ffmpeg.ended.catch(() => undefined);
    }
  }

  /** Throws if the video was not read to its end, and reports errors in a video that was. */
  check(): void {
    const { signal, warn } = this.#options;
    if (signal.aborted) return;
    const problems = this.problems.join('; ');
    if (this.#exitCode !== 0) throw new Error(`ffmpeg ended with code ${this.#exitCode}: ${problems}`);
    if (this.#count === 0) throw new Error(`the video has no frames${problems === '' ? '' : `: ${problems}`}`);
    if (problems !== '') warn(`ffmpeg reports: ${problems}`);
  }

  #arguments(): string[] {
    return [
      ...['-nostdin', '-nostats', '-hide_banner', '-loglevel', 'level+info'],
      ...['-protocol_whitelist', 'file', '-format_whitelist', CONTAINERS, '-i', 'file:/dev/fd/3', '-map', '0:v:0'],
      ...['-vf', `select=not(mod(n\\,${this.#options.stride})),showinfo`, this.#timing, 'passthrough'],
      ...['-f', 'image2pipe', '-c:v', 'png', 'pipe:1'],
    ];
  }
}
