import { queryClient } from '../api/query-client.ts';
import { session } from '../api/session.svelte.ts';
import { type DetectedFile, detectFile, type FirstDocuments } from './detect-file.ts';
import { fieldNames } from './field-names.ts';
import { guessId, guessType } from './field-types.ts';
import { type Destination, type FieldChoice, type LoadChoices, loadConfig, previewConfig } from './load-config.ts';

/** How many documents of the file are read to find out its fields. */
const SAMPLE = 20;

/** What the user has entered in the form, and the config that follows from it. */
export class LoadForm {
  path = $state('');
  name = $state('');
  trim = $state(true);
  idField = $state('');
  fields = $state<FieldChoice[]>([]);
  destination = $state<Destination>({
    kind: 'opensearch',
    url: 'http://localhost:9200',
    index: '',
    user: '',
    password: '',
    file: '',
  });
  #file = $state.raw<DetectedFile>();
  #reading = $state(false);
  #failure = $state.raw<unknown>();
  #readings = 0;

  get file(): DetectedFile | undefined {
    return this.#file;
  }

  get reading(): boolean {
    return this.#reading;
  }

  /** Why the file could not be read. */
  get failure(): unknown {
    return this.#failure;
  }

  get choices(): LoadChoices | undefined {
    if (this.#file === undefined) return undefined;
    const { name, fields, trim, destination, idField } = this;
    return { name, fields, trim, destination, file: { ...this.#file.settings, idField } };
  }

  /** The config. Undefined before the file is read. */
  get text(): string | undefined {
    return this.choices === undefined ? undefined : loadConfig(this.choices);
  }

  get previewText(): string | undefined {
    return this.choices === undefined ? undefined : previewConfig(this.choices);
  }

  /** What is missing before the config can run. */
  get missing(): string | undefined {
    const { kind, url, index, file, user, password } = this.destination;
    if (this.#file === undefined) return 'Read a file first.';
    if (this.#file.fields.length === 0) return 'The file has no documents that can be read.';
    if (kind === 'file') return file === '' ? 'Enter the file to write.' : undefined;
    if (url === '') return 'Enter the address of the search engine.';
    if (index === '') return kind === 'solr' ? 'Enter the name of the collection.' : 'Enter the name of the index.';
    return user !== '' && password === '' ? 'Enter the password of the user.' : undefined;
  }

  /** Reads the first documents of the file, and fills in what can be guessed from them. */
  async read(): Promise<void> {
    const number = ++this.#readings;
    this.#reading = true;
    this.#failure = undefined;
    try {
      const path = this.path.trim();
      // The file may have changed since its last preview.
      queryClient.removeQueries({ queryKey: ['load'] });
      const file = await detectFile(path, this.idField, readFirst);
      if (number !== this.#readings) return;
      this.#file = file;
      this.#fill(path, file);
    } catch (error) {
      if (number !== this.#readings) return;
      this.#file = undefined;
      this.#failure = error;
    }
    this.#reading = false;
  }

  /** Forgets the file, because another path is entered. */
  forget(): void {
    this.#readings++;
    this.#reading = false;
    this.#file = undefined;
    this.#failure = undefined;
    this.idField = '';
  }

  #fill(path: string, { settings, fields }: DetectedFile): void {
    this.idField = settings.idField === '' ? guessId(fields) : settings.idField;
    const newNames = fieldNames(fields.map(({ name }) => name));
    this.fields = fields.map(({ name, values }, i) => {
      const { type, pattern = '' } = name === this.idField ? { type: 'text' as const } : guessType(values);
      const isText = values.every((value) => typeof value === 'string');
      // The id of the document has the value of _id already.
      const keep = !(name === '_id' && name === this.idField);
      return { name, keep, newName: newNames[i] ?? name, type, pattern, isText };
    });
    const stem = nameOf(path);
    this.name ||= stem;
    this.destination = {
      ...this.destination,
      index: this.destination.index || stem.toLowerCase(),
      file: this.destination.file || `${stem}-documents.jsonl`,
    };
  }
}

/** Returns a name for the config and the index: the name of the file without its extension. */
function nameOf(path: string): string {
  const file = path.split(/[/\\]/).at(-1) ?? '';
  return file
    .replace(/\.[^.]*$/, '')
    .replaceAll(/[^\w.]+/g, '-')
    .replace(/^[-_.]+/, '')
    .replace(/-+$/, '')
    .slice(0, 80);
}

async function readFirst(connector: Readonly<Record<string, unknown>>): Promise<FirstDocuments> {
  const config = {
    connectors: [{ name: 'file', pipeline: 'main', ...connector }],
    pipelines: [{ name: 'main', stages: [] }],
    indexer: { type: 'Nop' },
  };
  const { results } = await session.client.call('POST /v1/preview', { body: { config, limit: SAMPLE } });
  return {
    documents: results.flatMap(({ documents }) => documents),
    failures: results.flatMap(({ failure }) => (failure === undefined ? [] : [failure.message])),
  };
}
