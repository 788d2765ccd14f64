import type { Readable } from 'node:stream';

const MAX_LINE = 64 * 1024;
const MAX_PROBLEMS = 5;
/** A line of the log: the parts of ffmpeg that wrote it, its level, and the message. */
const LINE = /^(?:\[([^\]]*)\] )?(?:\[[^\]]*\] )*?\[(fatal|error|warning|info)\] (.*)$/;
/** Newer versions of ffmpeg warn of damaged videos. Older ones report errors. */
const DAMAGE = /corrupt|damaged|truncated|incomplete|mismatch/i;

/** Reads what ffmpeg writes to its log: the time of each frame, and errors. */
export class FrameLog {
  /** The first errors of ffmpeg. */
  readonly problems: string[] = [];
  readonly #times: (number | undefined)[] = [];
  #timeBase: readonly [number, number] | undefined;
  #line = '';
  #ended = false;
  #wake: () => void = () => undefined;

  constructor(stream: Readable) {
    stream.setEncoding('utf8').on('data', (text: string) => this.#add(text));
    stream.on('close', () => {
      this.#ended = true;
      this.#wake();
    });
  }

  /** Returns the presentation time of the next frame in milliseconds. Undefined if the video does not have it. */
  async nextTime(): Promise<number | undefined> {
    while (this.#times.length === 0 && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#times.shift();
  }

  #add(text: string): void {
    const lines = (this.#line + text).split(/[\r\n]/);
    this.#line = (lines.pop() as string).slice(0, MAX_LINE);
    for (const line of lines) this.#read(line);
    this.#wake();
  }

  #read(line: string): void {
    const [, source = '', level, rest = ''] = LINE.exec(line) ?? [];
    if (level === 'error' || level === 'fatal' || (level === 'warning' && DAMAGE.test(rest))) {
      if (this.problems.length < MAX_PROBLEMS) this.problems.push(rest.trim().replace('fd:: ', ''));
    } else if (source.startsWith('Parsed_showinfo_')) {
      const base = /^config in time_base: (\d+)\/(\d+)/.exec(rest);
      if (base !== null) this.#timeBase = [Number(base[1]), Number(base[2])];
      const frame = /^n: *\d+ pts: *(-?\d+|NOPTS) /.exec(rest);
      if (frame !== null) this.#times.push(this.#millis(Number(frame[1])));
    }
  }

  /** The field pts_time of the log has only six digits, which is too few for long videos. */
  #millis(ticks: number): number | undefined {
    if (Number.isNaN(ticks) || this.#timeBase === undefined) return undefined;
    const [numerator, denominator] = this.#timeBase;
    return Math.max(0, Math.floor((ticks * numerator * 1000) / denominator));
  }
}
