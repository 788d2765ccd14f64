import { ApiError } from '@headrace/client';
import { session } from '../api/session.svelte.ts';
import type { ConfigPage, Problem } from '../api/types.ts';
import { router } from '../routing/router.svelte.ts';
import { storeDraft, takeDraft } from '../ui/stored-draft.ts';
import { starterConfig } from './starter-configs.ts';
import { keepUnsaved, takeUnsaved } from './unsaved-texts.ts';

/** The pause in typing before the text is checked, in milliseconds. */
const CHECK_MILLIS = 250;

/** Name, description and labels of a config. Labels are a text such as \`team:search env:live\`. */
export interface About {
  readonly name: string;
  readonly description: string;
  readonly labels: string;
}

const NO_ABOUT: About = { name: '', description: '', labels: '' };

/** The text of a config in the editor, and how it differs from the stored config. */
export class ConfigDraft {
  /** The id or name of the stored config. Undefined for a new config. */
  readonly id: string | undefined;
  #loading = $state(true);
  #failure = $state.raw<unknown>();
  #text = $state('');
  #saved = $state('');
  #about = $state.raw(NO_ABOUT);
  #version = $state<number>();
  #preset = $state(false);
  #locked = $state<string>();
  #deleted = $state(false);
  #problems = $state.raw<readonly Problem[]>([]);
  #knownFields = $state.raw<readonly string[]>([]);
  #etag: string | undefined;
  /** Of the stored text. JSON stays JSON. */
  #contentType: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #checks = 0;
  readonly #user = session.user;
  readonly #ignoreEnd = session.onEnd(() => this.#keep());
  /** Documents for the preview, from an example. */
  readonly documents: readonly unknown[];

  constructor(id: string | undefined) {
    this.id = id;
    const given = id === undefined ? takeDraft() : undefined;
    this.documents = given?.documents ?? [];
    if (id === undefined) {
      const unsaved = given === undefined ? takeUnsaved('', this.#user) : undefined;
      this.#saved = unsaved?.saved ?? given?.text ?? starterConfig(router.query('start'));
      this.#text = unsaved?.text ?? this.#saved;
      this.#loading = false;
      void this.#check();
    } else void this.#open(id);
  }

  get loading(): boolean {
    return this.#loading;
  }

  /** The reason why the config cannot be shown. */
  get failure(): unknown {
    return this.#failure;
  }

  get text(): string {
    return this.#text;
  }

  set text(text: string) {
    if (text === this.#text) return;
    this.#text = text;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#check(), CHECK_MILLIS);
  }

  get changed(): boolean {
    return this.#text !== this.#saved;
  }

  get title(): string {
    return this.#about.name || this.id || 'New config';
  }

  get about(): About {
    return this.#about;
  }

  get version(): number | undefined {
    return this.#version;
  }

  get preset(): boolean {
    return this.#preset;
  }

  get problems(): readonly Problem[] {
    return this.#problems;
  }

  /** The fields that the documents of previews have. */
  get knownFields(): readonly string[] {
    return this.#knownFields;
  }

  addKnownFields(names: readonly string[]): void {
    const known = new Set(this.#knownFields);
    if (names.some((name) => !known.has(name))) this.#knownFields = [...new Set([...known, ...names])];
  }

  /** The reason why the text cannot be changed. */
  get locked(): string | undefined {
    return this.#locked;
  }

  /** Whether saving has found out that somebody has deleted the config. */
  get deleted(): boolean {
    return this.#deleted;
  }

  get editable(): boolean {
    return this.#locked === undefined && session.may('admin');
  }

  /** Loads the stored text. Changes that are not saved are lost. */
  async reload(): Promise<void> {
    const id = this.id as string;
    const { headers, body } = await session.client.request('GET /v1/config/{id}', { path: { id } });
    const text = await this.#textOf(id, body);
    this.#etag = headers.get('etag') ?? undefined;
    this.#text = text;
    this.#saved = text;
    await this.#loadAbout(id);
    this.#loading = false;
    await this.#check();
  }

  async #open(id: string): Promise<void> {
    try {
      await this.reload();
      const unsaved = this.editable ? takeUnsaved(id, this.#user) : undefined;
      if (unsaved === undefined) return;
      this.text = unsaved.text;
      // If somebody has stored a newer version, saving reports it.
      this.#etag = unsaved.etag;
    } catch (error) {
      this.#failure = error;
    }
  }

  /** Stores the text as a new version, or as a new config. Returns the id. */
  async save(about?: About): Promise<string> {
    const body = this.#text;
    if (this.id === undefined) {
      const query = about === undefined ? {} : queryOf(about, NO_ABOUT);
      const { configId } = await session.client.call('POST /v1/config', { query, body });
      this.#saved = body;
      return about?.name || configId;
    }
    const id = this.id;
    const { headers, body: answer } = await session.client
      .request('PUT /v1/config/{id}', { path: { id }, headers: this.#headers(), body })
      .catch(async (refusal) => {
        this.#deleted = await isDeleted(id, refusal);
        throw refusal;
      });
    this.#etag = headers.get('etag') ?? undefined;
    this.#version = answer.version;
    this.#saved = body;
    return id;
  }

  /** Changes the name, the description and the labels of the stored config. Returns its id or new name. */
  async describe(about: About): Promise<string> {
    const id = this.id as string;
    // The same text makes no new version.
    const { headers, body } = await session.client.request('PUT /v1/config/{id}', {
      path: { id },
      query: queryOf(about, this.#about),
      headers: this.#headers(),
      body: this.#saved,
    });
    this.#etag = headers.get('etag') ?? undefined;
    const wasNamed = id === this.#about.name;
    this.#about = about;
    return wasNamed ? about.name || body.configId : id;
  }

  /** Stores the text as the newest version, although another one was stored since this one was loaded. */
  overwrite(): Promise<string> {
    this.#etag = undefined;
    return this.save();
  }

  /** Opens the text as a new config. */
  copyToNew(): void {
    storeDraft({ text: this.#text, documents: [] });
    router.open('/configs/new');
  }

  /** Stops the protection of changes that are not saved: the config was deleted, or its text is kept elsewhere. */
  forget(): void {
    this.#saved = this.#text;
  }

  close(): void {
    this.#ignoreEnd();
    clearTimeout(this.#timer);
    this.#checks++;
  }

  /** Keeps changes when the session ends: the same user gets them again after signing in. */
  #keep(): void {
    if (!this.changed) return;
    const unsaved = { user: this.#user, text: this.#text, saved: this.#saved, etag: this.#etag };
    keepUnsaved(this.id ?? '', unsaved);
  }

  async #textOf(id: string, resolved: unknown): Promise<string> {
    try {
      const { text, headers } = await session.client.request('GET /v1/config/{id}/text', { path: { id } });
      this.#contentType = headers.get('content-type') ?? undefined;
      this.#preset = false;
      this.#locked = undefined;
      return text;
    } catch (error) {
      // Presets, and texts whose secrets cannot be masked, have no text here: only the content.
      if (!(error instanceof ApiError && error.status === 409)) throw error;
      this.#preset = error.code === 'HR_CONFIG_IS_PRESET';
      this.#locked = this.#preset ? 'preset: a file of the operator, which cannot be changed here' : error.message;
      return `${JSON.stringify(resolved, null, 2)}\n`;
    }
  }

  async #loadAbout(id: string): Promise<void> {
    if (this.#preset) return;
    // The id may be a part of other names. Most searches find this config alone.
    let after: string | undefined;
    do {
      const query = { q: id, content: false, limit: 200, after };
      const page = (await session.client.call('GET /v1/config', { query })) as ConfigPage;
      const found = page.items.find(({ configId, name }) => configId === id || name === id);
      if (found !== undefined) {
        const labels = Object.entries(found.labels).map(([name, value]) => `${name}:${value}`);
        this.#about = { name: found.name ?? '', description: found.description ?? '', labels: labels.join(' ') };
        this.#version = found.version ?? undefined;
        return;
      }
      after = page.next ?? undefined;
    } while (after !== undefined);
  }

  /** Returns the headers of a request that replaces the stored text. The service reads JSON with mistakes as HOCON. */
  #headers(): { 'if-match'?: string; 'content-type'?: string } {
    return {
      ...(this.#etag === undefined ? {} : { 'if-match': this.#etag }),
      ...(this.#contentType === undefined ? {} : { 'content-type': this.#contentType }),
    };
  }

  /** Asks the service for the problems of the text. An answer for an older text is ignored. */
  async #check(): Promise<void> {
    // A preset may use the environment and other things that an upload may not.
    if (this.#preset) return;
    const number = ++this.#checks;
    try {
      const { problems } = await session.client.call('POST /v1/config/validate', { body: this.#text });
      if (number === this.#checks) this.#problems = problems;
    } catch (error) {
      if (number !== this.#checks || !(error instanceof ApiError)) return;
      this.#problems = [{ severity: 'error', code: error.code, path: '', message: error.message }];
    }
  }
}

/** Returns whether a config was not stored because it no longer exists. */
async function isDeleted(id: string, refusal: unknown): Promise<boolean> {
  if (!(refusal instanceof ApiError)) return false;
  if (refusal.status === 404) return true;
  if (refusal.code !== 'HR_CONFIG_CHANGED') return false;
  // A name that nothing has can be given to a new config, so that the service reports another tag.
  return session.client.request('GET /v1/config/{id}', { path: { id } }).then(
    () => false,
    (error) => error instanceof ApiError && error.status === 404,
  );
}

/** Returns the query of an upload: what differs from the stored values. An empty value removes the old one. */
function queryOf({ name, description, labels }: About, stored: About) {
  return {
    ...(name === stored.name ? {} : { name }),
    ...(description === stored.description ? {} : { description }),
    // The values of labels from other clients may contain spaces.
    ...(labels === stored.labels ? {} : { label: labels.split(/\s+/) }),
  };
}
