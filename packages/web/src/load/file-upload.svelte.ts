import type { Output } from '@headrace/client';
import { queryClient } from '../api/query-client.ts';
import { session } from '../api/session.svelte.ts';
import { bytes } from '../format/numbers.ts';
import { freeName, storedName } from './file-names.ts';

type StoredFile = Output<'PUT /v1/file/{name}'>;

/** A file of the user's machine on its way to the service. */
export class FileUpload {
  readonly #onStored: (path: string) => void;
  #file: File | undefined;
  #taken: ReadonlySet<string> = new Set();
  #sending = $state(false);
  #existing = $state.raw<StoredFile>();
  #failure = $state.raw<unknown>();
  #choices = 0;

  /** @param onStored is called with the path for configs */
  constructor(onStored: (path: string) => void) {
    this.#onStored = onStored;
  }

  get sending(): boolean {
    return this.#sending;
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
    this.#file = file;
    await this.#try(async (isCurrent) => {
      const { items, maxFileBytes } = await session.client.call('GET /v1/file');
      if (!isCurrent()) return;
      if (file.size === 0) throw new Error(`The file ${file.name} is empty.`);
      if (file.size > maxFileBytes) {
        throw new Error(
          `The file has ${bytes(file.size)}, and the service takes at most ${bytes(maxFileBytes)}. Copy it to the machine of the service, and enter its path.`,
        );
      }
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
    const body = this.#file;
    if (body === undefined) return;
    const { path } = await session.client.call('PUT /v1/file/{name}', { path: { name }, query: { replace }, body });
    void queryClient.invalidateQueries({ queryKey: ['files'] });
    if (isCurrent()) this.#onStored(path);
  }
}
