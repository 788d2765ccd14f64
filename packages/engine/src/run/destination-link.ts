import type {
  DestinationAccess,
  Journal,
  OtherWriters,
  Output,
  RebuildPass,
  WriterPass,
} from '../component/destination.ts';
import { HeadraceError } from '../errors/headrace-error.ts';
import type { FromDestinations, ToDestinations } from './destination-messages.ts';
import { OverdueError } from './time-limits.ts';

/** How long a rebuild waits for the requests in flight of the others. Meanwhile they begin no further request. */
const QUIET_MILLIS = 60_000;

interface LinkHost {
  /** This signal is aborted when the run must stop. */
  readonly signal: AbortSignal;
  readonly post: (message: ToDestinations) => void;
  /** Reports for whom the run waits. */
  readonly onWait: (message: string) => void;
}

type Receive = (message: FromDestinations) => void;
type Entered = Extract<FromDestinations, { type: 'entered' }>;

/** Connects the thread of a run to the `Destinations` of its process. */
export class DestinationLink implements DestinationAccess {
  readonly #host: LinkHost;
  readonly #receivers = new Map<number, Receive>();
  #passes = 0;

  constructor(host: LinkHost) {
    this.#host = host;
  }

  receive(message: FromDestinations): void {
    if (message.type === 'waiting') this.#host.onWait(message.message);
    else this.#receivers.get(message.pass)?.(message);
  }

  async write(
    { place, name }: Output,
    alone: string | undefined,
    cancelMove?: (index: string) => Promise<void>,
  ): Promise<WriterPass> {
    const names = name === undefined ? undefined : [name];
    const pass = ++this.#passes;
    const post = (message: ToDestinations) => this.#host.post(message);
    const writer = new LinkedWriter(pass, post, cancelMove);
    await this.#enter({ type: 'enter', pass, kind: 'writer', place, names, alone }, writer.receive);
    try {
      await writer.cancelMoves();
    } catch (error) {
      writer.close();
      throw error;
    }
    return writer;
  }

  async rebuild(place: string, names: readonly string[]): Promise<RebuildPass> {
    const pass = ++this.#passes;
    const { post, signal } = this.#host;
    const rebuild = new LinkedRebuild(pass, post, signal);
    await this.#enter({ type: 'enter', pass, kind: 'rebuild', place, names, alone: undefined }, rebuild.receive);
    return rebuild;
  }

  /** Resolves when the run is let in. If the run is stopped before, it no longer waits. */
  async #enter(message: Extract<ToDestinations, { type: 'enter' }>, receive: Receive): Promise<void> {
    const { signal, post } = this.#host;
    const entered = Promise.withResolvers<void>();
    this.#receivers.set(message.pass, (answer) => {
      receive(answer);
      if (answer.type === 'entered') entered.resolve();
    });
    post(message);
    try {
      await untilAborted(entered.promise, signal);
    } catch (error) {
      post({ type: 'leave', pass: message.pass });
      throw error;
    }
  }
}

class LinkedWriter implements WriterPass {
  readonly #pass: number;
  readonly #post: (message: ToDestinations) => void;
  #unknown: BigInt64Array<ArrayBufferLike> = new BigInt64Array(1);
  readonly #cancelMove: ((index: string) => Promise<void>) | undefined;
  #journals: readonly Journal[] = [];
  #moves: readonly string[] = [];
  #cancelling: Promise<void> | undefined;
  #requests = 0;
  /** Resolved when the pause ends. */
  #pause: (PromiseWithResolvers<void> & { readonly number: number }) | undefined;
  #isClosed = false;

  constructor(
    pass: number,
    post: (message: ToDestinations) => void,
    cancelMove: ((index: string) => Promise<void>) | undefined,
  ) {
    this.#pass = pass;
    this.#post = post;
    this.#cancelMove = cancelMove;
  }

  readonly receive = (message: FromDestinations): void => {
    if (message.type === 'entered') {
      this.#unknown = new BigInt64Array(message.memory);
      this.#journals = message.journals;
      this.#moves = message.moves;
    } else if (message.type === 'pause') {
      this.#pause = { ...Promise.withResolvers<void>(), number: message.pause };
      this.#reportPaused();
    } else if (message.type === 'resume') {
      this.#journals = message.journals;
      this.#moves = message.moves;
      this.#pause?.resolve();
      this.#pause = undefined;
    }
  };

  async enter(changes: number, signal: AbortSignal): Promise<readonly Journal[]> {
    while (this.#pause !== undefined || this.#moves.length > 0) {
      if (this.#pause !== undefined) await untilAborted(this.#pause.promise, signal);
      await untilAborted(this.cancelMoves(), signal);
    }
    this.#requests++;
    // Counted as unknown first: the thread may be killed during the request.
    Atomics.add(this.#unknown, 0, BigInt(changes));
    return this.#journals;
  }

  /** Cancels the moves that rebuilds have left. Requests that begin meanwhile wait for the same work. */
  cancelMoves(): Promise<void> {
    this.#cancelling ??= this.#cancelAll().finally(() => {
      this.#cancelling = undefined;
    });
    return this.#cancelling;
  }

  async #cancelAll(): Promise<void> {
    for (const index of this.#moves) {
      await this.#cancelMove?.(index);
      if (this.#cancelMove !== undefined) this.#post({ type: 'cancelled', pass: this.#pass, index });
      this.#moves = this.#moves.filter((one) => one !== index);
    }
  }

  leave(changes: number, unknown: number): void {
    Atomics.sub(this.#unknown, 0, BigInt(changes - unknown));
    this.#requests--;
    this.#reportPaused();
  }

  broken({ path }: Journal, reason: string): void {
    this.#post({ type: 'broken', pass: this.#pass, path, reason });
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#post({ type: 'leave', pass: this.#pass });
  }

  #reportPaused(): void {
    if (this.#pause === undefined || this.#requests > 0) return;
    this.#post({ type: 'paused', pass: this.#pass, pause: this.#pause.number });
  }
}

class LinkedRebuild implements RebuildPass {
  readonly #pass: number;
  readonly #post: (message: ToDestinations) => void;
  readonly #signal: AbortSignal;
  #path = '';
  #journal: Journal | undefined;
  #quiet: PromiseWithResolvers<OtherWriters> | undefined;
  #question = 0;
  #noted: PromiseWithResolvers<void> | undefined;
  #isClosed = false;

  constructor(pass: number, post: (message: ToDestinations) => void, signal: AbortSignal) {
    this.#pass = pass;
    this.#post = post;
    this.#signal = signal;
  }

  get path(): string {
    return this.#path;
  }

  readonly receive = (message: FromDestinations): void => {
    if (message.type === 'entered') this.#path = (message satisfies Entered).path;
    else if (message.type === 'noted') {
      if (message.failure === undefined) this.#noted?.resolve();
      else this.#noted?.reject(notNoted(message.failure));
    } else if (message.type === 'quiet' && message.question === this.#question) this.#quiet?.resolve(message.others);
  };

  async exclusively<T>(
    work: (others: OtherWriters) => Promise<{ journal: Journal | undefined; result: T }>,
  ): Promise<T> {
    const pass = this.#pass;
    this.#quiet = Promise.withResolvers();
    this.#post({ type: 'pause', pass, question: ++this.#question });
    try {
      const others = await this.#whenQuiet(this.#quiet.promise);
      const { journal, result } = await work(others);
      this.#journal = journal;
      return result;
    } finally {
      this.#quiet = undefined;
      this.#post({ type: 'resume', pass, journal: this.#journal });
    }
  }

  moving(index: string): Promise<void> {
    this.#noted = Promise.withResolvers();
    this.#post({ type: 'moving', pass: this.#pass, index });
    return untilAborted(this.#noted.promise, this.#signal);
  }

  moved(): void {
    this.#post({ type: 'moved', pass: this.#pass });
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#post({ type: 'leave', pass: this.#pass });
  }

  async #whenQuiet(quiet: Promise<OtherWriters>): Promise<OtherWriters> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(tooSlow()), QUIET_MILLIS);
    try {
      return await untilAborted(Promise.race([quiet, late.promise]), this.#signal);
    } finally {
      clearTimeout(timer);
    }
  }
}

function notNoted(failure: string): HeadraceError {
  return new HeadraceError(
    'HR_INDEXER_FINISH',
    `The service could not note that an alias is about to move: ${failure}`,
    {
      hint: 'Make space in the folder of the service, and start the rebuild again. The alias has not moved.',
    },
  );
}

function tooSlow(): HeadraceError {
  return new HeadraceError(
    'HR_INDEXER_FINISH',
    `The requests of other runs to the same destination did not end within ${QUIET_MILLIS / 1000} s, so the rebuild cannot know that it has all changes`,
    { hint: 'The destination answers too slowly. Start the rebuild again when it is less busy.' },
  );
}

/** Rejects when the signal is aborted, because the run was stopped. */
async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const stopped = Promise.withResolvers<never>();
  const message = 'The run was stopped while it waited for another run with the same destination';
  const failure = { code: 'HR_RUN_CANCELLED', message } as const;
  const abort = () => stopped.reject(new OverdueError({ reason: 'stopped', failure }));
  stopped.promise.catch(() => undefined);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, stopped.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
