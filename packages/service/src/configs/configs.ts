import { randomUUID } from 'node:crypto';
import { counted, hasErrors, maskedSecrets, type Problem } from '@headrace/engine';
import { ApiError } from '../errors/api-error.ts';
import type {
  ConfigFormat,
  ConfigNotes,
  ConfigVersion,
  ConfigVersionListing,
  Store,
  StoredConfig,
} from '../store/store.ts';
import { epochSeconds } from '../time/clock.ts';
import type { ConfigChange } from './config-diff.ts';
import { configNotFound, isPreset, nameTaken } from './config-errors.ts';
import { checkConfigName, isConfigId } from './config-name.ts';
import { type ConfigItem, configPage, type Page, versionPage } from './config-pages.ts';
import type { ConfigSource } from './config-source.ts';
import { checkPreconditions, configTag, type Preconditions } from './config-tag.ts';
import type { Preset } from './presets.ts';
import type { UploadReader } from './upload-reader.ts';
import { refuseConfig } from './upload-text.ts';

export interface ConfigsOptions {
  store: Store;
  reader: UploadReader;
  maxConfigs: number;
  /** The maximum number of stored versions per config. The oldest are deleted. */
  maxVersions: number;
  /** Called after a config was stored, because a run of it will probably follow. */
  onAdded?: () => void;
  /** Called after a config was deleted. */
  onDeleted?: (id: string) => void;
}

/** A config text to store. */
export interface Upload {
  text: string;
  /** The format in the request. A text that is not JSON is stored as HOCON. */
  format: ConfigFormat;
  createdBy: string | null;
  /** The notes of the config. Absent notes stay unchanged. */
  notes: Partial<ConfigNotes>;
  /** Whether to refuse a config that has errors. */
  onlyValid: boolean;
}

/** The result of storing a config. */
export interface Uploaded {
  configId: string;
  version: number;
  tag: string;
  /** The problems that did not prevent the config from being stored. */
  problems: Problem[];
  created: boolean;
}

/** A preset or an uploaded config. */
export type FoundConfig = { kind: 'preset'; preset: Preset } | { kind: 'stored'; config: StoredConfig };

/** The configs of a service: the uploads by id or name, and the presets by file name. */
export class Configs {
  readonly #options: ConfigsOptions;
  #presets: ReadonlyMap<string, Preset> = new Map();

  constructor(options: ConfigsOptions) {
    this.#options = options;
  }

  setPresets(presets: ReadonlyMap<string, Preset>): void {
    this.#presets = presets;
  }

  /** Stores a config under a new id. The text must be readable, but may have errors: `problems` lists them. */
  async add(upload: Upload): Promise<Uploaded> {
    const { name = null } = upload.notes;
    if (name !== null) checkConfigName(name);
    const made = await this.#create(upload, await this.#check(upload));
    if (made === 'name-taken') throw nameTaken(name);
    return made;
  }

  /**
   * Stores a new version of a config. The same text again creates no version. A name that does not exist yet creates a
   * new config with that name. Masked secrets in the text become those of the current version; see `keepSecrets`.
   * @param key an id or a name
   */
  async put(key: string, upload: Upload, preconditions: Preconditions): Promise<Uploaded> {
    if (upload.notes.name != null) checkConfigName(upload.notes.name);
    const checked = await this.#check(upload);
    if (checked.masks.length === 0) return this.#write(key, upload, checked, preconditions);
    const found = await this.find(key);
    if (found?.kind === 'preset') throw isPreset(key);
    if (found === undefined) refuseConfig(checked.masks);
    const { current } = found.config;
    checkPreconditions(preconditions, configTag(current));
    const kept = await this.#options.reader.keepSecrets({ text: upload.text, format: checked.format }, current);
    if ('refused' in kept) refuseConfig(kept.refused);
    const whole = { ...upload, text: kept.text };
    // The secrets belong to this version. If another request stores a newer one in the meantime, nothing is written.
    return this.#write(key, whole, await this.#check(whole), { ...preconditions, ifMatch: configTag(current) });
  }

  /** Makes an old version of a config the current one, by storing it as a new version. */
  async restore(
    key: string,
    version: number,
    createdBy: string | null,
    preconditions: Preconditions,
  ): Promise<Uploaded> {
    const { text, format, answer, digest } = await this.version(key, version);
    const upload: Upload = { text, format, createdBy, notes: {}, onlyValid: false };
    const { problems, masks } = await this.#options.reader.check(text, format);
    return this.#write(key, upload, { answer, digest, format, problems, masks }, preconditions);
  }

  /** Returns the problems of a config text without storing it. */
  async validate(text: string, format: ConfigFormat): Promise<Problem[]> {
    return this.#options.reader.problems(text, format);
  }

  /**
   * Returns the config as JSON with secrets masked, and its tag.
   * @param key an id or a name
   */
  async answer(key: string): Promise<{ json: string; tag: string } | undefined> {
    const preset = this.#presets.get(key);
    if (preset !== undefined) return { json: preset.answer, tag: configTag({ version: null, digest: preset.digest }) };
    const stored = await this.#options.store.configAnswer(key);
    return stored === undefined ? undefined : { json: stored.answer, tag: configTag(stored) };
  }

  /** Finds a config by its id or name. */
  async find(key: string): Promise<FoundConfig | undefined> {
    const preset = this.#presets.get(key);
    if (preset !== undefined) return { kind: 'preset', preset };
    const config = await this.#options.store.config(key);
    return config === undefined ? undefined : { kind: 'stored', config };
  }

  /** Returns the uploaded config with this id or name. Throws for a preset, because presets have no versions. */
  async stored(key: string): Promise<StoredConfig> {
    const found = await this.find(key);
    if (found === undefined) throw configNotFound(key);
    if (found.kind === 'preset') throw isPreset(key);
    return found.config;
  }

  /** Returns a version of an uploaded config. Without a number, returns the current version. */
  async version(key: string, version?: number): Promise<ConfigVersion> {
    const { id, current } = await this.stored(key);
    if (version === undefined) return current;
    const found = await this.#options.store.configVersion(id, version);
    if (found !== undefined) return found;
    throw new ApiError('HR_CONFIG_NOT_FOUND', `The config ${key} has no version ${version}, or it was deleted`, {
      hint: `GET /v1/config/${key}/versions lists the versions that are kept.`,
    });
  }

  /** Returns the source of a run or preview of a config, or undefined if the config does not exist. */
  async source(key: string): Promise<ConfigSource | undefined> {
    const found = await this.find(key);
    if (found === undefined) return undefined;
    return found.kind === 'preset' ? found.preset : this.versionSource(found.config.current);
  }

  /** Reads a version of a config, so that a run can use it. */
  async versionSource({ text, format, digest }: ConfigVersion): Promise<ConfigSource> {
    const { reader } = this.#options;
    const { root, problems } = await reader.read(text, format);
    if (root === undefined) refuseConfig(problems);
    return { root, digest, registry: reader.registry, trusted: false, size: text.length };
  }

  /**
   * Returns the source of a run or preview of a config text that is not stored, or of a stored one with overrides.
   * @param overrides a JSON object: values by path that replace values of the text
   */
  async inlineSource(
    text: string,
    format: ConfigFormat,
    overrides?: string,
  ): Promise<{ source: ConfigSource; format: ConfigFormat; overrides: Record<string, unknown> | undefined }> {
    const { reader } = this.#options;
    const read = await reader.readInline(text, format, overrides);
    const { root, digest, maskedOverrides } = read;
    if (root === undefined) refuseConfig(read.problems);
    const size = text.length + (overrides?.length ?? 0);
    const source = { root, digest, registry: reader.registry, trusted: false, size };
    return { source, format: read.format, overrides: maskedOverrides };
  }

  /**
   * Returns the source of a preview of a text that a user edits. Its masked secrets become those of the stored config,
   * by the rules of `put`. If the rules refuse that, all of them stay masked, and the preview warns of each.
   * @param key the stored config, by id or name
   */
  async editedSource(key: string, text: string, format: ConfigFormat): Promise<ConfigSource> {
    const { reader } = this.#options;
    const { current } = await this.stored(key);
    const { source, format: read } = await this.inlineSource(text, format);
    if (maskedSecrets(source.root).length === 0) return source;
    const kept = await reader.keepSecrets({ text, format: read }, current);
    return 'refused' in kept ? source : (await this.inlineSource(kept.text, read)).source;
  }

  /** Returns the text of a version as it was uploaded, with secrets masked. */
  async maskedText({ text, format }: ConfigVersion): Promise<string> {
    const masked = await this.#options.reader.maskedText(text, format);
    if (masked !== undefined) return masked;
    throw new ApiError('HR_CONFIG_TEXT_HIDDEN', 'The text has secrets that cannot be masked in place', {
      hint: 'GET /v1/config/{id} shows the config with its secrets masked, without its comments.',
    });
  }

  /** Returns the changes from one version to another. */
  diff(from: ConfigVersion, to: ConfigVersion): Promise<ConfigChange[]> {
    return this.#options.reader.diff(from, to);
  }

  /** Returns a page of the configs; see `configPage`. */
  page(query: Parameters<typeof configPage>[2]): Promise<Page<ConfigItem>> {
    return configPage(this.#options.store, this.#presets, query);
  }

  /** Returns a page of the stored versions of a config. */
  async versions(key: string, query: Parameters<typeof versionPage>[2]): Promise<Page<ConfigVersionListing>> {
    return versionPage(this.#options.store, (await this.stored(key)).id, query);
  }

  /** Deletes a config and all its versions. */
  async delete(key: string, preconditions: Preconditions): Promise<void> {
    for (;;) {
      const { id, current } = await this.stored(key);
      checkPreconditions(preconditions, configTag(current));
      // Another request changed the config in the meantime: check its new state.
      if (await this.#options.store.deleteConfig(id, current.version)) {
        this.#options.onDeleted?.(id);
        return;
      }
    }
  }

  async #write(key: string, upload: Upload, checked: Checked, preconditions: Preconditions): Promise<Uploaded> {
    for (;;) {
      const found = await this.find(key);
      if (found?.kind === 'preset') throw isPreset(key);
      checkPreconditions(preconditions, found && configTag(found.config.current));
      if (found === undefined) {
        const made = await this.#create(named(key, upload), checked);
        if (made !== 'name-taken') return made;
      } else {
        const replaced = await this.#replace(found.config, upload, checked);
        if (replaced !== 'overtaken') return replaced;
      }
      // Another request changed the config in the meantime: check its new state.
    }
  }

  async #check({ text, format, onlyValid }: Upload): Promise<Checked> {
    const { stored, problems, masks } = await this.#options.reader.check(text, format);
    if (stored === undefined || (onlyValid && hasErrors(problems))) refuseConfig(problems);
    return { ...stored, problems, masks };
  }

  async #create(upload: Upload, checked: Checked): Promise<Uploaded | 'name-taken'> {
    const { store, maxConfigs, onAdded } = this.#options;
    const { name = null, description = null, labels = {} } = upload.notes;
    const id = randomUUID();
    const current = newVersion(1, upload, checked);
    const written = await store.addConfig({ id, name, description, labels, current }, maxConfigs);
    if (written === 'name-taken') return written;
    if (written !== 'written') {
      throw new ApiError(
        'HR_CONFIG_STORE_FULL',
        `The store already has ${counted(maxConfigs, 'config')}, which is the limit`,
        {
          hint: 'Delete configs (DELETE /v1/config/{id}), or raise limits.maxConfigs in the service file.',
        },
      );
    }
    onAdded?.();
    return { configId: id, version: 1, tag: configTag(current), problems: checked.problems, created: true };
  }

  async #replace(config: StoredConfig, upload: Upload, checked: Checked): Promise<Uploaded | 'overtaken'> {
    const { store, maxVersions, onAdded } = this.#options;
    const { current: before } = config;
    const same = upload.text === before.text && checked.format === before.format;
    const current = same ? before : newVersion(before.version + 1, upload, checked);
    const written = await store.replaceConfig({ ...config, ...upload.notes, current }, before.version, maxVersions);
    if (written === 'name-taken') throw nameTaken(upload.notes.name);
    if (written !== 'written') return 'overtaken';
    onAdded?.();
    const { version } = current;
    return { configId: config.id, version, tag: configTag(current), problems: checked.problems, created: false };
  }
}

/** A checked text that can be stored. */
interface Checked {
  answer: string;
  digest: string;
  format: ConfigFormat;
  problems: Problem[];
  /** A problem for each value that is the mask of a secret (`******`) instead of the secret. */
  masks: Problem[];
}

function newVersion(version: number, { text, createdBy }: Upload, { answer, digest, format }: Checked): ConfigVersion {
  return { version, text, format, answer, digest, createdTime: epochSeconds(), createdBy };
}

/** Adds the name to the upload of a new config. Throws if the name looks like an id. */
function named(key: string, upload: Upload): Upload {
  if (isConfigId(key)) throw configNotFound(key);
  checkConfigName(key);
  const { name = key } = upload.notes;
  if (name !== key) {
    throw new ApiError(
      'HR_REQUEST_INVALID',
      `There is no config ${key}: a new config of this name cannot be named ${name}`,
    );
  }
  return { ...upload, notes: { ...upload.notes, name: key } };
}
