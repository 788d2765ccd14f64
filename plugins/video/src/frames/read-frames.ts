import { resolve } from 'node:path';
import {
  allowedMillis,
  allowedRunSecs,
  ChildProgram,
  type Confinement,
  HeadraceError,
  isRestricted,
  type ProgramEnd,
  programMounts,
} from 'headrace/engine';
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

const MIB = 1024 ** 2;
const MAX_FRAME_BYTES = 256 * MIB;

/**
 * What ffmpeg may use. A file of 1 KB can describe a picture that needs many gigabytes. A picture of 4K has 9 million
 * pixels, and 8K has 33 million. With two threads, ffmpeg reads videos of 4K in 512 MiB, and of 8K in 2 GiB.
 */
const LIMITS = { maxPixels: 36_000_000, maxBytes: 2048 * MIB };
/** The limits for the configs of users who are not trusted. */
const LIMITS_OF_UPLOADS = { maxPixels: 4096 * 4096, maxBytes: 1024 * MIB };
/** The largest single block of memory. */
const MAX_BLOCK_BYTES = 512 * MIB;
/** More threads are faster, but each one keeps pictures in memory. */
const THREADS = 2;
/** Above what long videos need, for a video and for a frame. The limits of the policy for a run and for a document may be less. */
const MAX_SECS = 4 * 3600;

/** Only these variables, because others may hold secrets. */
export const ENVIRONMENT = { LC_ALL: 'C' };

/** Returns what ffmpeg may see and use. @param program the path of ffmpeg */
export function confinement(program: string): Confinement {
  const { maxBytes } = limits();
  // The threads of ffmpeg together cannot need more until the run ends.
  const maxProcessorSecs = THREADS * allowedRunSecs(MAX_SECS);
  return { mounts: programMounts(resolve(program)), maxBytes, maxProcessorSecs };
}

function limits() {
  return isRestricted() ? LIMITS_OF_UPLOADS : LIMITS;
}

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
  const run = new Run(video, options);
  yield* run.frames();
  run.check();
}

/** One run of ffmpeg. */
class Run {
  readonly #video: number;
  readonly #options: FrameOptions;
  #log: FrameLog | undefined;
  #count = 0;
  #end: ProgramEnd | undefined;
  /** The reason why ffmpeg was ended, if it took too long. */
  #overdue: Error | undefined;

  constructor(video: number, options: FrameOptions) {
    this.#video = video;
    this.#options = options;
  }

  async *frames(): AsyncGenerator<Frame> {
    const { program, stride, signal } = this.#options;
    const ffmpeg = ChildProgram.start(program, this.#arguments(), {
      env: ENVIRONMENT,
      files: [this.#video],
      confined: confinement(program),
    });
    const kill = () => ffmpeg.kill();
    signal.addEventListener('abort', kill);
    // It may be aborted since it was checked.
    if (signal.aborted) kill();
    try {
      this.#log = new FrameLog(ffmpeg.stderr);
      // The time in which the caller uses a frame does not count.
      let timer = this.#killLater(kill);
      try {
        for await (const image of splitImages(ffmpeg.stdout, MAX_FRAME_BYTES)) {
          const millis = await this.#log.nextTime();
          clearTimeout(timer);
          if (signal.aborted) return;
          yield { index: this.#count * stride, millis, image, ...sizeOf(image) };
          this.#count++;
          timer = this.#killLater(kill);
        }
        this.#end = await ffmpeg.ended;
      } finally {
        clearTimeout(timer);
      }
    } catch (error) {
      if (!signal.aborted) throw this.#overdue ?? error;
    } finally {
      signal.removeEventListener('abort', kill);
      kill();
      await ffmpeg.ended.catch(() => undefined);
    }
  }

  /** Ends ffmpeg if it takes too long for the next frame. */
  #killLater(kill: () => void): NodeJS.Timeout {
    const millis = allowedMillis(MAX_SECS * 1000);
    return setTimeout(() => {
      const what = this.#options.stride > 1 ? `the next ${this.#options.stride} frames` : 'the next frame';
      this.#overdue = new Error(`ffmpeg took longer than ${millis / 1000} s for ${what}`);
      kill();
    }, millis);
  }

  /** Throws if the video was not read to its end, and reports errors in a video that was. */
  check(): void {
    const { signal, warn } = this.#options;
    if (signal.aborted) return;
    const problems = this.#log?.problems.join('; ') ?? '';
    const { code = null, reason } = this.#end ?? {};
    if (this.#overdue !== undefined) throw this.#overdue;
    if (reason !== undefined) throw new HeadraceError('HR_MEMORY_LIMIT', `ffmpeg was ended: ${reason}`);
    if (code !== 0) throw new Error(`ffmpeg ended with code ${code}: ${problems}`);
    if (this.#count === 0) throw new Error(`the video has no frames${problems === '' ? '' : `: ${problems}`}`);
    if (problems !== '') warn(`ffmpeg reports: ${problems}`);
  }

  #arguments(): string[] {
    return [
      ...['-nostdin', '-nostats', '-hide_banner', '-loglevel', 'level+info'],
      ...['-max_alloc', `${MAX_BLOCK_BYTES}`, '-filter_threads', '1'],
      ...['-threads', `${THREADS}`, '-max_pixels', `${limits().maxPixels}`],
      ...['-protocol_whitelist', 'fd', '-format_whitelist', CONTAINERS, '-fd', '3', '-i', 'fd:', '-map', '0:v:0'],
      ...['-vf', `select=not(mod(n\\,${this.#options.stride})),showinfo`, '-fps_mode', 'passthrough'],
      ...['-f', 'image2pipe', '-c:v', 'png', '-threads', '1', 'pipe:1'],
    ];
  }
}
