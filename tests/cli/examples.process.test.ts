import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from '@headrace/hocon';
import { ffmpegPath } from '@headrace/testing/ffmpeg';
import { StubServer } from '@headrace/testing/stub-server';
import { connect } from '@lancedb/lancedb';
import { afterAll, describe, expect, it } from 'vitest';
import { directoryWith, headrace, repository } from './headrace.ts';

/** The configs in answers need a model, and `answers.server.test.ts` runs them. */
const examples = (readdirSync(join(repository, 'examples'), { recursive: true }) as string[]).filter(
  (file) => file.endsWith('.conf') && !file.startsWith('answers/'),
);

/** The examples that a test has run. */
const ran = new Set<string>();

/** Runs an example with the command in its first lines, which must succeed. Returns its standard output. */
async function runWith(example: string, env: Readonly<Record<string, string>>): Promise<string> {
  ran.add(example);
  const { code, stdout, stderr } = await headrace(['run', `examples/${example}`], { env: { ...PLUGINS, ...env } });
  expect(code, stderr + stdout).toBe(0);
  expect(stdout).toContain('RUN SUMMARY: Success.');
  return stdout;
}

/** Runs an example like `runWith`, and returns the lines of its output file. */
async function runExample(example: string, output: string): Promise<string[]> {
  const out = directoryWith();
  await runWith(example, { HEADRACE_OUT: out });
  return readFileSync(join(out, output), 'utf8').trimEnd().split('\n');
}

/** The folder of a small model, with random weights, in place of the model of the example. */
const models = mkdtempSync(join(tmpdir(), 'headrace-models-'));
afterAll(() => rmSync(models, { recursive: true }));
/** The plugin makes it for its own tests, and does not export it. */
const { TinyModel } = await import(join(repository, 'plugins/embeddings/dist/testing/tiny-model.js'));
new TinyModel().write({}, 'F32', '', join(models, 'sentence-transformers_all-MiniLM-L6-v2'));

/** What the examples of plugins need. */
const PLUGINS = { FFMPEG_PATH: ffmpegPath, EMBED_MODELS: models };

/** Examples that read from servers. The connector tests run those of Kafka and Solr against real servers. */
const FROM_SERVERS = ['connectors/kafka.conf', 'connectors/rss.conf', 'connectors/solr.conf'];

/** The block `kafka` has an effect only in distributed runs, which the warning says. */
const DISTRIBUTED = ['distributed.conf'];

describe('every example', () => {
  it('is valid, without a warning', async () => {
    const paths = examples.filter((example) => !DISTRIBUTED.includes(example)).map((example) => `examples/${example}`);
    // One process checks all examples, because its start takes longer than a check.
    const { code, stdout } = await headrace(['validate', ...paths], { env: PLUGINS });
    expect(stdout).toBe(paths.map((path) => `${path}: valid (no problems)\n`).join(''));
    expect(code).toBe(0);
  });

  it('reads its data from another directory if HEADRACE_DATA names one', () => {
    for (const example of examples) {
      const text = readFileSync(join(repository, 'examples', example), 'utf8');
      const read = (env: Record<string, string>) => {
        const { value, problems } = parse(text, { env: { ...PLUGINS, ...env } });
        expect(problems, example).toEqual([]);
        return JSON.stringify(value);
      };
      expect(read({ HEADRACE_DATA: 'elsewhere' }), example).toBe(read({}).replaceAll('examples/data', 'elsewhere'));
    }
  });

  it.each(DISTRIBUTED)('%s is valid, with a warning of its block kafka', async (example) => {
    const { stdout } = await headrace(['validate', `examples/${example}`]);
    expect(stdout).toContain('warning: kafka: kafka has an effect only in distributed runs');
    expect(stdout).toContain(`examples/${example}: valid (1 warning)\n`);
  });
});

it('the pipeline tests of every example pass', async () => {
  const { code, stdout } = await headrace(['test', ...examples.map((example) => `examples/${example}`)], {
    env: PLUGINS,
  });
  expect(stdout).not.toContain('no tests');
  expect(stdout.match(/^examples\/.*: \d+ passed$/gm)).toHaveLength(examples.length);
  expect(code).toBe(0);
});

it('examples/README.md names every example', () => {
  const readme = readFileSync(join(repository, 'examples/README.md'), 'utf8');
  expect(examples.filter((example) => !readme.includes(`[${example}](${example})`))).toEqual([]);
});

// The indexer tests run the other examples against real servers.
describe('the example of an indexer', () => {
  it('csv writes a row for each airport', async () => {
    const lines = await runExample('indexers/csv.conf', 'airports.csv');
    expect(lines).toHaveLength(3377);
    expect(lines[1]).toBe('"00M","Thigpen","Bay Springs","MS","31.95376472","-89.23450472"');
  });

  it('json-lines writes a line for each airport', async () => {
    const lines = await runExample('indexers/json-lines.conf', 'airports.jsonl');
    expect(lines).toHaveLength(3376);
    expect(JSON.parse(lines[0] as string)).toMatchObject({ id: '00M', name: 'Thigpen' });
  });

  it('nop writes nothing, and all documents succeed', async () => {
    expect(await runWith('indexers/nop.conf', {})).toContain('3376 docs succeeded. 0 docs failed.');
  });

  it('parquet writes a row for each airport', async () => {
    const out = directoryWith();
    await runWith('indexers/parquet.conf', { HEADRACE_OUT: out });
    const read = `connectors: [{ class: ParquetConnector, name: c, pipeline: p, paths: ["${out}/airports.parquet"], idField: id }]
      pipelines: [{ name: p, stages: [] }], indexer { type: JSONLines, blacklist: [run_id] }, jsonl { path: "${out}/out.jsonl" }`;
    writeFileSync(join(out, 'read.conf'), read);
    expect((await headrace(['run', join(out, 'read.conf')])).code).toBe(0);
    const rows = readFileSync(join(out, 'out.jsonl'), 'utf8').trimEnd().split('\n');
    expect(rows).toHaveLength(3376);
    expect(JSON.parse(rows[0] as string)).toEqual({
      id: '00M',
      name: 'Thigpen',
      city: 'Bay Springs',
      state: 'MS',
      latitude: 31.95376472,
      longitude: -89.23450472,
    });
  });

  it('lancedb creates a table with the vectors of all airports', async () => {
    const out = directoryWith();
    await runWith('indexers/lancedb.conf', { HEADRACE_OUT: out });
    const connection = await connect(join(out, 'vectors'));
    const table = await connection.openTable('airports');
    expect(await table.countRows()).toBe(3376);
    const [row] = await table.query().where("id = '00M'").toArray();
    expect(row).toMatchObject({ name: 'Thigpen', city: 'Bay Springs', country: 'USA' });
    expect([...row.embedding]).toHaveLength(4);
    connection.close();
  });

  it.each([
    ['qdrant', 'QDRANT_URL', 'points', 'payload'],
    ['weaviate', 'WEAVIATE_URL', 'objects', 'properties'],
  ])('%s sends all airports with their vectors', async (name, variable, list, fields) => {
    const sent: Record<string, { vector: number[]; [fields: string]: object }[]>[] = [];
    const stub = await StubServer.start(({ method, body }, response) => {
      if (method === 'GET') return void response.end('{}');
      const uploaded = JSON.parse(body);
      sent.push(uploaded);
      response.end(JSON.stringify(uploaded.objects?.map(() => ({ result: { status: 'SUCCESS' } })) ?? {}));
    });
    await runWith(`indexers/${name}.conf`, { [variable]: stub.url }).finally(() => stub.close());
    const airports = sent.flatMap((body) => body[list] ?? []);
    expect(airports).toHaveLength(3376);
    expect(airports[0]?.vector).toHaveLength(4);
    expect(airports[0]?.[fields]).toMatchObject({ id_original: '00M', name: 'Thigpen', city: 'Bay Springs' });
  });

  it('http sends lines of JSON', async () => {
    const lines: string[] = [];
    const tokens = new Set<string | undefined>();
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const piece of request.setEncoding('utf8')) body += piece;
      lines.push(...body.split('\n').filter((line) => line !== ''));
      tokens.add(request.headers.authorization);
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/airports`;
      await runWith('indexers/http.conf', { AIRPORTS_URL: url, AIRPORTS_TOKEN: 'secret-token' });
    } finally {
      server.close();
    }
    expect(lines).toHaveLength(3376);
    expect(JSON.parse(lines[0] as string)).toMatchObject({ id: '00M', name: 'Thigpen' });
    expect([...tokens]).toEqual(['Bearer secret-token']);
  });
});

it('the example cached.conf fetches each page once', async () => {
  let requests = 0;
  const server = createServer((_, response) => {
    requests++;
    response.setHeader('cache-control', 'max-age=3600').end('page');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const env = {
    PAGES_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    HEADRACE_OUT: directoryWith(),
  };
  try {
    for (let run = 0; run < 2; run++) {
      await runWith('cached.conf', env);
    }
  } finally {
    server.close();
  }
  expect(requests).toBe(20);
});

describe('the example of a connector', () => {
  const documents = async (name: string, output = name) =>
    (await runExample(`connectors/${name}.conf`, `${output}.jsonl`)).map((line) => {
      const { run_id, ...document } = JSON.parse(line);
      return document;
    });

  it('csv reads an airport from each row, without the unknown values', async () => {
    const airports = await documents('csv');
    expect(airports).toHaveLength(3376);
    expect(airports[0]).toMatchObject({ id: 'airport-00M', city: 'Bay Springs' });
    expect(airports.filter(({ city }) => city === 'NA')).toEqual([]);
  });

  it('json reads a film from each line', async () => {
    const films = await documents('json');
    expect(films).toHaveLength(400);
    expect(films[0]).toMatchObject({ id: 'movie-1', title: 'The Land Girls' });
  });

  it('xml reads a book from each element', async () => {
    expect(await documents('xml')).toEqual([
      { id: '9780141439518', title: 'Pride and Prejudice', authors: 'Jane Austen' },
      { id: '9780140449136', title: 'Crime & Punishment', authors: 'Fyodor Dostoevsky' },
      { id: '9780060853976', title: 'Good Omens', authors: ['Terry Pratchett', 'Neil Gaiman'] },
    ]);
  });

  it('file reads records and files, and nothing in the second run', async () => {
    const env = { HEADRACE_OUT: directoryWith() };
    const ids = async () => {
      await runWith('connectors/file.conf', env);
      const text = readFileSync(join(env.HEADRACE_OUT, 'inbox.jsonl'), 'utf8').trim();
      return text === '' ? [] : text.split('\n').map((line) => JSON.parse(line).id);
    };
    const note = expect.stringMatching(/^[0-9a-f]{32}$/);
    const first = await ids();
    expect(first.toSorted((a, b) => a.length - b.length)).toEqual([
      ...['order-17', 'order-18', 'ada@example.org', 'alan@example.org'],
      note,
    ]);
    expect(await ids()).toEqual(first);
  });

  it('parquet reads the rows of two states', async () => {
    const airports = await documents('parquet');
    expect(airports).toHaveLength(29);
    expect(new Set(airports.map(({ state }) => state))).toEqual(new Set(['HI', 'VT']));
    expect(airports[0]).toMatchObject({ id: '0B7', latitude: 44.11672722, title: 'Warren-Sugar Bush (Warren)' });
  });

  it('database reads authors with their books', async () => {
    const authors = await documents('database', 'authors');
    expect(authors.map(({ name, ___children }) => [name, ___children.length])).toEqual([
      ['Jane Austen', 2],
      ['Fyodor Dostoevsky', 2],
      ['Herman Melville', 1],
    ]);
  });

  it('sequence creates the numbers of both connectors', async () => {
    const ids = (await documents('sequence')).map(({ id }) => id);
    expect(ids).toEqual(Array.from({ length: 150 }, (_, i) => `doc-${i}`));
  });

  it('rss reads the items of a feed', async () => {
    const feed = readFileSync(join(repository, 'examples/data/feed.xml'));
    const server = createServer((_, response) => response.end(feed));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const out = directoryWith();
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/feed.xml`;
      await runWith('connectors/rss.conf', { HEADRACE_OUT: out, FEED_URL: url });
    } finally {
      server.close();
    }
    const items = readFileSync(join(out, 'news.jsonl'), 'utf8').trim().split('\n');
    expect(items.map((line) => JSON.parse(line))).toMatchObject([
      { id: 'mill-2', summary: 'After the rain the headrace is full.' },
      { id: 'mill-1', title: 'The mill opens' },
    ]);
  });
});

describe('the example', () => {
  it('airports converts a CSV file to JSON lines', async () => {
    const lines = await runExample('airports.conf', 'airports.jsonl');
    expect(lines).toHaveLength(3372);
    const { run_id, ...first } = JSON.parse(lines[0] as string);
    expect(first).toEqual({
      id: 'airport-00M',
      code: '00M',
      name: 'Thigpen',
      city: 'Bay Springs',
      state: 'MS',
      country: 'USA',
      location: '31.95376472,-89.23450472',
      title: 'Thigpen (00M)',
      initial: 'T',
    });
    expect(lines.filter((line) => line.includes('"NA"'))).toEqual([]);
    expect(run_id).toMatch(/^[0-9a-f-]{36}$/);
    const scopes = lines.filter((line) => JSON.parse(line).scope === 'international');
    expect(scopes.length).toBeGreaterThan(100);
  });

  it('movies cleans JSON lines and writes CSV', async () => {
    const lines = await runExample('movies.conf', 'movies.csv');
    expect(lines.slice(0, 2)).toEqual([
      '"id","title","released","genre","rating","votes","gross"',
      '"movie-1","The Land Girls","1998-06-12","unknown","6.1","1071","146083"',
    ]);
    expect(lines.length).toBeLessThan(401);
  });

  it('children emits the airports before their state, with the name of the state', async () => {
    const lines = await runExample('children.conf', 'states.jsonl');
    const documents = lines.map((line) => JSON.parse(line));
    const states = documents.filter((document) => document.type === 'state');
    expect(states.map((state) => state.name)).toEqual([
      'Connecticut',
      'Delaware',
      'Hawaii',
      'New Hampshire',
      'Rhode Island',
      'Vermont',
    ]);
    expect(documents.at(0)).toMatchObject({ id: '22B', state: 'CT', state_name: 'Connecticut', type: 'airport' });
    expect(documents.at(-1)).toMatchObject({ id: 'VT', type: 'state' });
  });

  it('custom-stage computes distances with a module in the folder of the config', async () => {
    const lines = await runExample('custom-stage.conf', 'near-denver.jsonl');
    const documents = lines.map((line) => JSON.parse(line));
    expect(documents).toHaveLength(10);
    expect(documents.find((document) => document.id === 'DEN').km_from_denver).toBe(0);
    expect(documents.find((document) => document.city === 'Boulder').km_from_denver).toBe(52);
    for (const { km_from_denver } of documents) expect(km_from_denver).toBeLessThanOrEqual(100);
  });
});

describe('the example of the plugin', () => {
  const documents = async (name: string, output: string) =>
    (await runExample(`plugins/${name}.conf`, `${output}.jsonl`)).map((line) => JSON.parse(line));

  it('ocr reads an image and the pages of a PDF file', async () => {
    const scans = await documents('ocr', 'scans');
    const texts = Object.fromEntries(scans.map(({ file_path: path, text }) => [path.split('/').at(-1), text]));
    expect(texts).toEqual({
      'hello.png': 'Hello, World!',
      'invoices.pdf': ['Invoice\n\nNumber 1001', 'Invoice\n\nNumber 1002'],
    });
  });

  it('video publishes two of twenty frames', async () => {
    const frames = await documents('video', 'frames');
    expect(frames.map(({ id, frame_time_ms: time }) => [id, time])).toEqual([
      ['clock-f0', 0],
      ['clock-f10', 1000],
    ]);
  });

  it('entities finds the people, places and organizations of two of three texts', async () => {
    const news = await documents('entities', 'names');
    const { names, text, ...found } = news[2];
    expect(found).toEqual({
      id: 'mill-3',
      people: ['John Smith', 'Maria Garcia'],
      places: ['Paris', 'Tokyo'],
      companies: 'Toyota',
    });
    for (const { name, start, end } of names) expect(text.slice(start, end)).toBe(name);
    expect(names).toHaveLength(5);
    expect(Object.keys(news[1])).toEqual(['id', 'text']);
  });

  it('embeddings adds a vector of length 1 to each film', async () => {
    const films = await documents('embeddings', 'movies');
    expect(films).toHaveLength(400);
    for (const { embedding } of films) expect(Math.hypot(...embedding)).toBeCloseTo(1, 5);
    const [landGirls] = films;
    expect(landGirls).toMatchObject({ id: 'movie-1', Title: 'The Land Girls' });
    expect(landGirls.embedding).toHaveLength(32);
  });
});

// The last test: those before it run most examples.
it('every example that no other test has run succeeds as a dry run', async () => {
  const others = examples.filter((example) => !ran.has(example) && !FROM_SERVERS.includes(example));
  for (const example of others) {
    const file = join(directoryWith(), 'dry.jsonl');
    const env = { ...PLUGINS, HEADRACE_OUT: directoryWith() };
    const { code, stdout } = await headrace(['run', `examples/${example}`, '--dry-run', file], { env });
    expect({ example, code, stdout }).toEqual({
      example,
      code: 0,
      stdout: expect.stringContaining('RUN SUMMARY: Success.'),
    });
    expect(readFileSync(file, 'utf8')).not.toBe('');
  }
});
