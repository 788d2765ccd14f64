import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Journal } from '../component/destination.ts';
import { messageOf } from '../errors/headrace-error.ts';
import type { FromDestinations, ToDestinations } from './destination-messages.ts';

/** How long a request of a killed run may still have an effect, in milliseconds. */
const EFFECT_MILLIS = 10 * 60_000;

/** The end of the names of journals. SQLite adds further endings. */
const ENDING = '.journal';

/** The end of the names of files with a move whose outcome is not known. */
const MOVE_ENDING = '.move';

/** A request that moves an alias to an index. It may still have an effect, although its rebuild has ended. */
interface Move {
  readonly place: string;
  readonly index: string;
  /** Keeps the move for the next process. Undefined if there is no folder for that. */
  readonly path: string | undefined;
}

/** A run in a place, or one that waits for another run. */
interface Member {
  readonly run: string;
  readonly pass: number;
  readonly kind: 'writer' | 'rebuild';
  readonly names: readonly string[] | undefined;
  /** Why the changes of a writer cannot be recorded. */
  readonly alone: string | undefined;
  /** The changes in flight, and those without a known outcome. */
  readonly unknown: BigInt64Array<SharedArrayBuffer>;
  readonly post: (message: FromDestinations) => void;
  isIn: boolean;
  isPaused: boolean;
  /** The number of the last question of a rebuild for a pause, and of the last answer. */
  asked: number;
  answered: number;
  /** The journal of a rebuild, after it was opened. */
  journal: Journal | undefined;
  readonly path: string;
  broken: string | undefined;
  /** The move of a rebuild whose outcome is not known yet. */
  move: Move | undefined;
  /** For whom the run waits, as it was last reported. */
  waitsFor: string | undefined;
}

/** The changes without a known outcome of a run that has ended. */
interface Ended {
  readonly time: number;
  readonly unknown: number;
}

interface Place {
  /** In the order in which they came. */
  readonly members: Member[];
  /** The rebuilds that need the place alone. The first one has it, or waits until the writers pause. */
  readonly pauses: Member[];
  /** The number of the last pause. */
  pause: number;
  ended: Ended[];
  /** What writers must cancel before they write. */
  moves: Move[];
}

/**
 * How the runs of a process know each other by their destinations, so that no change is lost while an alias is rebuilt.
 * It is in the thread of the process, and the runs are in theirs (`DestinationLink`). A place is a server, such as a
 * search cluster by its addresses; which index a request changes is known from its answer.
 *
 * A rebuild R of the alias A goes through these steps:
 *
 * 1. R enters. It waits until all writers of A whose changes cannot be recorded (`alone`) have ended; those that come
 *    later wait until R has ended.
 * 2. Open: R pauses the place. Each writer finishes its requests in flight, and begins no other. R counts the writes of
 *    the live index, and creates the journal. The writers continue. From now on, they append each acknowledged change
 *    of a live index to the journal before they report its outcome, so before a source counts as read. Then R reads its
 *    source.
 * 3. When all documents of R are written, R replays the journal to the new index, until little is left.
 * 4. Switch: R pauses the place again, replays the rest, compares the number of writes of the live index with the
 *    journal, checks the new index, and moves A. The writers continue, without a journal. They write to A, which is now
 *    the new index.
 *
 * Why nothing is lost, if all sources show the same data: a change that a writer had sent before the journal was opened
 * was read from the source before R read its first row, so R has read it, or something newer. Every later change is in
 * the journal, and the new index gets it after the document of R, in the order in which the live index applied it. So the
 * new index is what it would be if all changes had come after R. A change in the journal may be older than what R has
 * read: the writer had read it before R. Then its source has the newer version still ahead of it, after its mark, and
 * its next run writes it. This holds for each document alone. So it holds for a snapshot of a database, and also for
 * files and APIs, whose documents R reads at different times.
 *
 * A writer that is killed leaves changes without a known outcome. It has not moved its mark, so its next run sends them
 * again. If the rebuild ends in any way, its journal goes, and the writers continue. If the process is killed, its
 * rebuilds are dead, and their journals are removed at the next start.
 *
 * The request that moves A may outlive R: the server executes it later, after a writer has written to the old index. So R
 * notes it first, in a file too. If R ends without knowing the outcome, each writer cancels the move before it writes: it
 * removes something without which the request fails. Afterwards A has moved, or never will.
 */
export class Destinations {
  readonly #given: string | undefined;
  #folder: string | undefined;
  #journals = 0;
  #moves = 0;
  readonly #places = new Map<string, Place>();

  /** @param folder for journals, which this process uses alone. Undefined for a temporary one */
  constructor(folder?: string) {
    this.#given = folder;
    for (const move of folder === undefined ? [] : movesIn(folder)) this.#place(move.place).moves.push(move);
  }

  /** Lets a run take part. `end` gives back everything that it has, also if its thread is lost. */
  connect(run: string, post: (message: FromDestinations) => void) {
    return {
      receive: (message: ToDestinations) => this.#receive(run, post, message),
      end: () => {
        for (const [name, place] of this.#places) {
          for (const member of place.members.filter((one) => one.run === run)) this.#leave(name, place, member);
        }
      },
    };
  }

  #receive(run: string, post: (message: FromDestinations) => void, message: ToDestinations): void {
    if (message.type === 'enter') {
      const place = this.#place(message.place);
      const { pass, kind, names, alone } = message;
      const unknown = new BigInt64Array(new SharedArrayBuffer(8));
      const path = kind === 'rebuild' ? this.#journalPath() : '';
      const state = {
        isIn: false,
        isPaused: false,
        asked: 0,
        answered: 0,
        journal: undefined,
        broken: undefined,
        move: undefined,
        waitsFor: undefined,
      };
      place.members.push({ run, pass, kind, names, alone, unknown, post, path, ...state });
      this.#settle(place);
      return;
    }
    for (const [name, place] of this.#places) {
      const member = place.members.find((one) => one.run === run && one.pass === message.pass);
      if (member === undefined) continue;
      if (message.type === 'leave') this.#leave(name, place, member);
      else if (message.type === 'pause') this.#pause(place, member, message.question);
      else if (message.type === 'resume') this.#resume(place, member, message.journal);
      else if (message.type === 'broken') markBroken(place, member, message.path, message.reason);
      else if (message.type === 'moving') this.#note(name, member, message.index);
      else if (message.type === 'moved') forget(member);
      else if (message.type === 'cancelled') cancelled(place, message.index);
      else if (message.pause === place.pause) {
        member.isPaused = true;
        this.#settle(place);
      }
      return;
    }
  }

  #place(name: string): Place {
    return this.#places.getOrInsertComputed(name, () => ({ members: [], pauses: [], pause: 0, ended: [], moves: [] }));
  }

  #note(place: string, rebuild: Member, index: string): void {
    const path =
      this.#given === undefined
        ? undefined
        : join(this.#given, `${Date.now()}-${process.pid}-${++this.#moves}${MOVE_ENDING}`);
    let failure: string | undefined;
    try {
      if (path !== undefined) writeFileSync(path, JSON.stringify({ place, index }), { mode: 0o600 });
      rebuild.move = { place, index, path };
    } catch (error) {
      failure = messageOf(error);
    }
    rebuild.post({ type: 'noted', pass: rebuild.pass, failure });
  }

  /** Lets everybody in who need not wait, and answers the first rebuild of `pauses` when all writers are quiet. */
  #settle(place: Place): void {
    const { members, pauses } = place;
    for (const [i, member] of members.entries()) {
      if (member.isIn) continue;
      const before = members.slice(0, i).find((other) => excludes(other, member));
      if (before !== undefined) reportWait(member, before);
      // A writer that comes during a pause begins after it.
      else if (pauses.length === 0 || member.kind === 'rebuild' || member.alone !== undefined) letIn(place, member);
    }
    const [first] = pauses;
    if (first === undefined || !pausable(place).every(({ isPaused }) => isPaused)) return;
    const { pass, asked: question, broken } = first;
    if (first.answered === question) return;
    first.answered = question;
    first.post({ type: 'quiet', pass, question, others: { unknown: unknownOf(place), broken } });
  }

  #pause(place: Place, rebuild: Member, question: number): void {
    rebuild.asked = question;
    place.pauses.push(rebuild);
    if (place.pauses.length > 1) return;
    place.pause++;
    for (const { post, pass } of pausable(place)) post({ type: 'pause', pass, pause: place.pause });
    this.#settle(place);
  }

  #resume(place: Place, rebuild: Member, journal: Journal | undefined): void {
    rebuild.journal = journal;
    leaveMove(place, rebuild);
    this.#unpause(place, rebuild);
  }

  #unpause(place: Place, rebuild: Member): void {
    const at = place.pauses.indexOf(rebuild);
    if (at < 0) return;
    place.pauses.splice(at, 1);
    if (at > 0) return;
    // The next rebuild has the place immediately, and the writers stay paused.
    if (place.pauses.length === 0) {
      const journals = journalsOf(place);
      for (const writer of pausable(place)) {
        writer.isPaused = false;
        writer.post({ type: 'resume', pass: writer.pass, journals, moves: movesOf(place) });
      }
    }
    this.#settle(place);
  }

  #leave(name: string, place: Place, member: Member): void {
    place.members.splice(place.members.indexOf(member), 1);
    if (member.kind === 'rebuild') {
      const hadJournal = member.journal !== undefined;
      member.journal = undefined;
      leaveMove(place, member);
      const isPausing = place.pauses.includes(member);
      this.#unpause(place, member);
      // The writers stop recording, also outside a pause.
      if (hadJournal && !isPausing && place.pauses.length === 0) {
        const journals = journalsOf(place);
        const moves = movesOf(place);
        for (const writer of pausable(place)) writer.post({ type: 'resume', pass: writer.pass, journals, moves });
      }
      this.#remove(member.path);
    } else {
      const unknown = Number(Atomics.load(member.unknown, 0));
      if (unknown > 0) place.ended.push({ time: Date.now(), unknown });
    }
    this.#settle(place);
    place.ended = place.ended.filter(({ time }) => Date.now() - time < EFFECT_MILLIS || hasRebuild(place));
    const { members, ended, moves } = place;
    if (members.length === 0 && ended.length === 0 && moves.length === 0) this.#places.delete(name);
  }

  #journalPath(): string {
    this.#folder ??=
      this.#given === undefined ? mkdtempSync(join(tmpdir(), 'headrace-journals-')) : cleaned(this.#given);
    return join(this.#folder, `${++this.#journals}${ENDING}`);
  }

  #remove(path: string): void {
    try {
      for (const ending of ['', '-wal', '-shm']) rmSync(path + ending, { force: true });
      if (this.#given !== undefined || this.#folder === undefined) return;
      rmdirSync(this.#folder);
      this.#folder = undefined;
    } catch {
      // Another rebuild uses the folder. Or, on Windows, a run has the file open: the next start removes it.
    }
  }
}

/** Creates the folder, or removes what a killed process has left in it. */
function cleaned(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(folder)) if (name.includes(ENDING)) rmSync(join(folder, name), { force: true });
  return folder;
}

/** Returns the moves that a killed process has left. */
function movesIn(folder: string): Move[] {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(MOVE_ENDING)) : [];
  return names.flatMap((name) => {
    const path = join(folder, name);
    try {
      return [{ ...(JSON.parse(readFileSync(path, 'utf8')) as Omit<Move, 'path'>), path }];
    } catch {
      // The process was killed before the file was complete, so before the request was sent.
      rmSync(path, { force: true });
      return [];
    }
  });
}

/** Leaves the move of a rebuild to the writers, unless its outcome is known. */
function leaveMove(place: Place, rebuild: Member): void {
  if (rebuild.move !== undefined) place.moves.push(rebuild.move);
  rebuild.move = undefined;
}

function forget(rebuild: Member): void {
  if (rebuild.move?.path !== undefined) rmSync(rebuild.move.path, { force: true });
  rebuild.move = undefined;
}

function cancelled(place: Place, index: string): void {
  for (const { path } of place.moves.filter((move) => move.index === index))
    if (path !== undefined) rmSync(path, { force: true });
  place.moves = place.moves.filter((move) => move.index !== index);
}

/** Returns the indices to which an alias may still move. */
function movesOf({ moves }: Place): string[] {
  return moves.map(({ index }) => index);
}

/** Returns whether a run must wait until an earlier one has left. */
function excludes(earlier: Member, later: Member): boolean {
  if (earlier.kind === later.kind) return false;
  const writer = earlier.kind === 'writer' ? earlier : later;
  return writer.alone !== undefined && overlap(earlier.names, later.names);
}

function overlap(a: readonly string[] | undefined, b: readonly string[] | undefined): boolean {
  return a === undefined || b === undefined || a.some((name) => b.includes(name));
}

function reportWait(member: Member, before: Member): void {
  if (member.waitsFor === before.run) return;
  member.waitsFor = before.run;
  const [rebuild, writer] = member.kind === 'rebuild' ? [member, before] : [before, member];
  // The alias is the first name of a rebuild.
  const alias = rebuild.names?.[0] ?? '';
  const message =
    member === writer
      ? `The run waits for the rebuild of ${alias} by the run ${rebuild.run}, because ${writer.alone}`
      : `The rebuild of ${alias} waits for the run ${writer.run}, which writes to it, because ${writer.alone}`;
  member.post({ type: 'waiting', pass: member.pass, message });
}

function letIn(place: Place, member: Member): void {
  member.isIn = true;
  const { pass, path } = member;
  const memory = member.unknown.buffer;
  member.post({ type: 'entered', pass, memory, journals: journalsOf(place), moves: movesOf(place), path });
}

/** Returns the writers whose changes are recorded. */
function pausable({ members }: Place): Member[] {
  return members.filter(({ kind, alone, isIn }) => kind === 'writer' && alone === undefined && isIn);
}

function journalsOf({ members }: Place): Journal[] {
  return members.flatMap(({ journal }) => journal ?? []);
}

function hasRebuild({ members }: Place): boolean {
  return members.some(({ kind }) => kind === 'rebuild');
}

function unknownOf({ members, ended }: Place): number {
  const past = ended.reduce((sum, { unknown }) => sum + unknown, 0);
  return members.reduce((sum, { unknown }) => sum + Number(Atomics.load(unknown, 0)), past);
}

function markBroken(place: Place, writer: Member, path: string, reason: string): void {
  const rebuild = place.members.find((member) => member.kind === 'rebuild' && member.path === path);
  if (rebuild === undefined) return;
  rebuild.broken ??= `changes of the run ${writer.run} could not be recorded: ${reason}`;
}
