import type { Output } from '@headrace/client';
import { queryClient } from '../api/query-client.ts';
import { session } from '../api/session.svelte.ts';
import { bytes } from '../format/numbers.ts';
import { addHeader, nameEmptyColumns } from './column-names.ts';
import { freeName, storedName } from './file-names.ts';

type StoredFile = Output<'PUT /v1/file/{name}'>;

/** A file of the user's machine on its way to the service. */
export class FileUpload {
  readonly #onStored: (path: string) => void;
  /** What is sent: the chosen file, perhaps with names for its columns. */
  #content: Blob | undefined;
  #taken: ReadonlySet<string> = new Set();
  #sending = $state(false);
  #existing = $state.raw<StoredFile>();
  #failure = $state.raw<unknown>();
  #sentBytes = $state(0);
  #bytes = $state(0);
  /** The name of the file after it is stored. */
  #storedName = $state<string>();
  #madeNames = $state.raw<readonly string[]>([]);
  #choices = 0;

  /** @param onStored is called with the path for configs */
  constructor(onStored: (path: string) => void) {
    this.#onStored = onStored;
  }

  get sending(): boolean {
    return this.#sending;
  }

  /** How much of the file has been sent, from 0 to 1. */
  get share(): number {
    return this.#bytes === 0 ? 0 : Math.min(1, this.#sentBytes / this.#bytes);
  }

  /** The names that columns have in the stored file, and had not in the chosen one. */
  get madeNames(): readonly string[] {
    return this.#madeNames;
  }

  /** Whether a first row with names can be added to the stored file. */
  get mayNameColumns(): boolean {
    return this.#storedName !== undefined && this.#madeNames.length === 0;
  }

  /** The stored file with the same name. The user decides what happens to it. */
  get existing(): StoredFile | undefined {
    return this.#existing;
  }

  get failure(): unknown {
    return this.#failure;
  }

  /** Sends a file, unless there is one with its name already. */
  async choose(file: File): Promise<void> {
    this.#content = file;
    this.#storedName = undefined;
    this.#madeNames = [];
    await this.#try(async (isCurrent) => {
      const { items, maxFileBytes } = await session.client.call('GET /v1/file');
      if (!isCurrent()) return;
      if (file.size === 0) throw new Error(`The file ${file.name} is empty.`);
      if (file.size > maxFileBytes) {
        throw new Error(
          `The file has ${bytes(file.size)}, and the service takes at most ${bytes(maxFileBytes)}. Copy it to the machine of the service, and enter its path.`,
        );
      }
      const named = await nameEmptyColumns(file);
      if (!isCurrent()) return;
      this.#content = named?.content ?? file;
      this.#madeNames = named?.names ?? [];
      this.#taken = new Set(items.map(({ name }) => name));
      const name = storedName(file.name);
      this.#existing = items.find((item) => item.name === name);
      if (this.#existing === undefined) await this.#send(name, isCurrent);
    });
  }

  /** Sends the chosen file, although there is one with its name: in its place, or under another name. */
  async decide(how: 'replace' | 'keep both'): Promise<void> {
    const name = this.#existing?.name;
    if (name === undefined) return;
    await this.#try((isCurrent) =>
      this.#send(how === 'replace' ? name : freeName(name, this.#taken), isCurrent, how === 'replace'),
    );
  }

  /** Stores the file again, with a first row that names its columns. */
  async nameColumns(): Promise<void> {
    const name = this.#storedName;
    const content = this.#content;
    if (name === undefined || content === undefined) return;
    await this.#try(async (isCurrent) => {
      const named = await addHeader(content);
      if (named === undefined)
        throw new Error('The columns of this file are not known. Add a row with their names to it.');
      if (!isCurrent()) return;
      this.#content = named.content;
      await this.#send(name, isCurrent, true);
      this.#madeNames = named.names;
    });
  }

  async #try(work: (isCurrent: () => boolean) => Promise<void>): Promise<void> {
    const choice = ++this.#choices;
    const isCurrent = () => choice === this.#choices;
    this.#failure = undefined;
    this.#existing = undefined;
    this.#sending = true;
    try {
      await work(isCurrent);
    } catch (error) {
      if (isCurrent()) this.#failure = error;
    }
    if (isCurrent()) this.#sending = false;
  }

  async #send(name: string, isCurrent: () => boolean, replace = false): Promise<void> {
    const body = this.#content;
    if (body === undefined) return;
    this.#bytes = body.size;
    this.#sentBytes = 0;
    const uploader = session.uploader((sent) => {
      if (isCurrent()) this.#sentBytes = sent;
    });
    const { path } = await uploader.call('PUT /v1/file/{name}', { path: { name }, query: { replace }, body });
    void queryClient.invalidateQueries({ queryKey: ['files'] });
    if (!isCurrent()) return;
    this.#storedName = name;
    this.#onStored(path);
  }
}
