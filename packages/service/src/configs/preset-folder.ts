import { type FSWatcher, watch } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { counted, messageOf, type RegistrySource } from '@headrace/engine';
import { type Preset, type PresetFile, type PresetOptions, readPresetFiles, takePresets } from './presets.ts';

export interface PresetFolderOptions {
  env: PresetOptions['env'];
  registry: Omit<RegistrySource, 'base' | 'allowModules'>;
  info(message: string): void;
  warn(message: string): void;
  /** Called with all presets, by name, when some of them have changed. */
  onChange(presets: ReadonlyMap<string, Preset>): void;
}

/** How long the files must stay the same before they are taken. Editors and copies write files in several steps. */
const SETTLE_MS = 500;
/**
 * How often the files are read without a notice from the file system. Network file systems send none, nor does a file
 * that is included from another folder.
 */
const POLL_MS = 5_000;
/** Reading takes at most this part of the time of the service. */
const MOST_WORK = 1 / 50;

/**
 * The presets of a directory. They are read at the start, again on request, and with `watch` whenever their content
 * changes. Files are compared by their resolved content, so a changed include or a new target of a symbolic link counts,
 * and a changed time of a file does not.
 */
export class PresetFolder {
  readonly #directory: string;
  readonly #options: PresetFolderOptions;
  readonly #registry: RegistrySource;
  readonly #closing = new AbortController();
  #presets: ReadonlyMap<string, Preset> = new Map();
  /** The content of each file that was taken or refused. */
  #seen: ReadonlyMap<string, string> = new Map();
  #work: Promise<void> = Promise.resolve();
  #watcher: FSWatcher | undefined;
  #watching: Promise<void> | undefined;
  /** Ends the wait for the next look. */
  #wake: (() => void) | undefined;
  /** Why the directory could not be read, if it was reported. */
  #failure: string | undefined;

  constructor(directory: string, options: PresetFolderOptions) {
    this.#directory = directory;
    this.#options = options;
    const base = `${pathToFileURL(resolve(directory)).href}/`;
    this.#registry = { ...options.registry, base, allowModules: true };
  }

  /** The number of presets in use. */
  get count(): number {
    return this.#presets.size;
  }

  /** The number of files that are not in use as they are, because they have errors. */
  get problems(): number {
    const skipped = [...this.#seen.keys()].filter((name) => !this.#presets.has(name)).length;
    return skipped + [...this.#presets.values()].filter(({ problem }) => problem !== null).length;
  }

  /** Reads the presets for the first time. */
  async load(): Promise<void> {
    await this.#take(await readPresetFiles(this.#directory, this.#options.env));
  }

  /** Reads all presets again. Resolves when the new ones are in use. Never rejects. */
  reload(): Promise<void> {
    return this.#inTurn(async () => {
      const files = await readPresetFiles(this.#directory, this.#options.env);
      // Files that were refused are reported again.
      for (const name of this.#seen.keys()) if (!this.#isInUse(name)) this.#forget(name);
      const changes = await this.#take(files);
      this.#options.info(`The presets were read again: ${changes}`);
    });
  }

  /** Reads the presets again when they change, until `close`. */
  watch(): void {
    try {
      this.#watcher = watch(this.#directory, () => this.#wake?.());
      this.#watcher.on('error', (error) => this.#unwatched(error));
    } catch (error) {
      this.#unwatched(error);
    }
    this.#watching = this.#watch();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#watcher?.close();
    this.#wake?.();
    await this.#watching;
    await this.#work;
  }

  #unwatched(error: unknown): void {
    this.#watcher?.close();
    this.#options.warn(
      `The file system does not report changes of ${this.#directory} (${messageOf(error)}), so the presets are read every ${POLL_MS / 1000} s`,
    );
  }

  async #watch(): Promise<void> {
    let pause = POLL_MS;
    while (!this.#closing.signal.aborted) {
      await this.#nextLook(pause);
      if (this.#closing.signal.aborted) return;
      await this.#inTurn(async () => {
        const start = performance.now();
        let files = await readPresetFiles(this.#directory, this.#options.env);
        pause = Math.max(POLL_MS, (performance.now() - start) / MOST_WORK);
        if (isSame(contentsOf(files), this.#seen)) return;
        for (let settled = false; !settled; ) {
          await this.#sleep(SETTLE_MS);
          const later = await readPresetFiles(this.#directory, this.#options.env);
          settled = isSame(contentsOf(files), contentsOf(later)) || this.#closing.signal.aborted;
          files = later;
        }
        if (isSame(contentsOf(files), this.#seen) || this.#closing.signal.aborted) return;
        this.#options.info(`The presets have changed: ${await this.#take(files)}`);
      });
    }
  }

  /** Waits until the file system reports a change, or until the pause ends. */
  async #nextLook(pause: number): Promise<void> {
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    await Promise.race([woken, this.#sleep(pause)]);
    this.#wake = undefined;
  }

  async #sleep(milliseconds: number): Promise<void> {
    // Rejects at the end of the service.
    await sleep(milliseconds, undefined, { signal: this.#closing.signal, ref: false }).catch(() => undefined);
  }

  /** Reads and takes files only once at a time. A directory that cannot be read changes nothing. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#work.then(work).then(
      () => {
        this.#failure = undefined;
      },
      (error) => {
        const failure = messageOf(error);
        if (failure === this.#failure) return;
        this.#failure = failure;
        this.#options.warn(`The presets stay as they are, because they cannot be read: ${failure}`);
      },
    );
    this.#work = done;
    return done;
  }

  /** Takes the files that are new or have changed, and removes the presets without a file. Returns the changes in words. */
  async #take(files: ReadonlyMap<string, PresetFile>): Promise<string> {
    const { env, warn, onChange } = this.#options;
    const before = this.#presets;
    const changed = [...files.values()].filter(({ name, content }) => this.#seen.get(name) !== content);
    const taken = await takePresets(changed, before, { env, registry: this.#registry, warn });
    const kept = [...before].filter(([name]) => files.has(name) && !changed.some((file) => file.name === name));
    const all = new Map([...kept, ...taken.map((preset) => [preset.name, preset] as const)]);
    this.#presets = new Map([...all].sort(([a], [b]) => (a < b ? -1 : 1)));
    this.#seen = contentsOf(files);
    onChange(this.#presets);
    const removed = [...before.keys()].filter((name) => !files.has(name));
    const added = taken.filter(({ name }) => !before.has(name));
    const replaced = taken.filter(({ name, root }) => before.has(name) && before.get(name)?.root !== root);
    return [
      `${counted(added.length, 'preset is', 'presets are')} new`,
      `${replaced.length} changed`,
      `${removed.length} removed`,
      `${counted(this.problems, 'file has', 'files have')} errors`,
    ].join(', ');
  }

  #isInUse(name: string): boolean {
    return this.#presets.get(name)?.problem === null;
  }

  #forget(name: string): void {
    this.#seen = new Map([...this.#seen].filter(([other]) => other !== name));
  }
}

function contentsOf(files: ReadonlyMap<string, PresetFile>): ReadonlyMap<string, string> {
  return new Map([...files].map(([name, { content }]) => [name, content]));
}

function isSame(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([name, content]) => b.get(name) === content);
}
