import { randomUUID } from 'node:crypto';
import { hasErrors, type Problem } from '@headrace/engine';
import { Refusal } from '../errors/refusal.ts';
import type { Preset } from '../presets/presets.ts';
import type { ConfigFormat, Store } from '../store/store.ts';
import type { ConfigSource } from './config-source.ts';
import type { UploadReader } from './upload-reader.ts';
import { refuseConfig } from './upload-text.ts';

export interface ConfigsOptions {
  store: Store;
  reader: UploadReader;
  maxConfigs: number;
  /** A config was stored: a run of it is to be expected. */
  onAdded?: () => void;
}

/** A config in a page of them. */
export interface ConfigItem {
  id: string;
  preset: boolean;
  digest: string;
  /** Seconds since the epoch; null for a preset. */
  createdTime: number | null;
  createdBy: string | null;
}

/** The configs of a service: those that were uploaded, and the presets, under the names of their files. */
export class Configs {
  readonly #store: Store;
  readonly #reader: UploadReader;
  readonly #maxConfigs: number;
  readonly #onAdded: (() => void) | undefined;
  #presets: ReadonlyMap<string, Preset> = new Map();

  constructor({ store, reader, maxConfigs, onAdded }: ConfigsOptions) {
    this.#onAdded = onAdded;
    this.#store = store;
    this.#reader = reader;
    this.#maxConfigs = maxConfigs;
  }

  setPresets(presets: ReadonlyMap<string, Preset>): void {
    this.#presets = presets;
  }

  /**
   * Stores a config. It has to be readable; whether it is valid besides is told in `problems`.
   * @param onlyValid refuse one that has errors
   */
  async add(
    text: string,
    format: ConfigFormat,
    { createdBy, onlyValid }: { createdBy: string | null; onlyValid: boolean },
  ): Promise<{ configId: string; problems: Problem[] }> {
    const { stored, problems } = await this.#reader.check(text, format);
    if (stored === undefined || (onlyValid && hasErrors(problems))) refuseConfig(problems);
    const configId = randomUUID();
    const createdTime = Date.now() / 1000;
    const config = { id: configId, text, format, ...stored, createdTime, createdBy };
    if (!(await this.#store.addConfig(config, this.#maxConfigs))) {
      throw new Refusal('HR_CONFIG_STORE_FULL', `There are ${this.#maxConfigs} configs already, which is the limit`, {
        hint: 'Delete some (DELETE /v1/config/{id}), or raise limits.maxConfigs in the service file.',
      });
    }
    this.#onAdded?.();
    return { configId, problems };
  }

  /** What is wrong with a text as a config. */
  async validate(text: string, format: ConfigFormat): Promise<Problem[]> {
    return (await this.#reader.check(text, format)).problems;
  }

  /** The config as JSON, secrets masked. */
  async answer(id: string): Promise<string | undefined> {
    return this.#presets.get(id)?.answer ?? (await this.#store.configAnswer(id));
  }

  /** What a run of the config starts from; undefined when there is no such config. */
  async source(id: string): Promise<ConfigSource | undefined> {
    const preset = this.#presets.get(id);
    if (preset !== undefined) return preset;
    const stored = await this.#store.config(id);
    if (stored === undefined) return undefined;
    return { ...(await this.#read(stored.text, stored.format)), digest: stored.digest };
  }

  /** What a preview of a config that is not stored starts from. */
  async unsavedSource(text: string, format: ConfigFormat): Promise<Omit<ConfigSource, 'digest'>> {
    return this.#read(text, format);
  }

  async delete(id: string): Promise<void> {
    if (this.#presets.has(id)) {
      throw new Refusal('HR_CONFIG_IS_PRESET', `The config ${id} is a preset: it belongs to a file`, {
        hint: 'Remove the file from the preset directory and start the service again.',
      });
    }
    if (!(await this.#store.deleteConfig(id))) throw configNotFound(id);
  }

  async #read(text: string, format: ConfigFormat): Promise<Omit<ConfigSource, 'digest'>> {
    const { root, problems } = await this.#reader.read(text, format);
    if (root === undefined) refuseConfig(problems);
    return { root, registry: this.#reader.registry, trusted: false };
  }

  /**
   * A page of the configs: presets by name, then uploads, newest first.
   * @param after the cursor that came with the page before
   */
  async page(after: string | undefined, limit: number): Promise<{ items: ConfigItem[]; next: string | null }> {
    const cursor = parseCursor(after);
    const items: { item: ConfigItem; cursor: string }[] = [];
    if (cursor.preset !== undefined) {
      for (const { name, digest } of this.#presets.values()) {
        if (name <= cursor.preset) continue;
        items.push({
          item: { id: name, preset: true, digest, createdTime: null, createdBy: null },
          cursor: `preset:${name}`,
        });
      }
    }
    // One more than asked for tells whether there is another page.
    if (items.length <= limit) {
      for (const { seq, ...config } of await this.#store.listConfigs({
        before: cursor.before,
        limit: limit + 1 - items.length,
      })) {
        items.push({ item: { ...config, preset: false }, cursor: String(seq) });
      }
    }
    const more = items.length > limit;
    const page = items.slice(0, limit);
    return { items: page.map(({ item }) => item), next: more ? (page.at(-1)?.cursor ?? null) : null };
  }
}

export function configNotFound(id: string): Refusal {
  return new Refusal('HR_CONFIG_NOT_FOUND', `There is no config ${id}`, { hint: 'GET /v1/config lists them.' });
}

/** Where a page starts: after a preset, or before a place in the order of uploads. */
function parseCursor(after: string | undefined): { preset?: string; before?: number } {
  if (after === undefined) return { preset: '' };
  if (after.startsWith('preset:')) return { preset: after.slice('preset:'.length) };
  const before = Number(after);
  if (!/^\d{1,15}$/.test(after)) {
    throw new Refusal('HR_REQUEST_INVALID', `${after} is not the "next" of an earlier page`);
  }
  return { before };
}
