import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Document, readJson, withDefaults, writeValue } from '@headrace/engine';
import { assertStageContract, makeStage, runStage, stageContext, toDocument } from '@headrace/engine/testing';
import { type StubHandler, StubServer } from '@headrace/testing/stub-server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { OpenAIEmbed } from './openai-embed.ts';

// Waits before retries take no time, except those of minutes, which a test ends.
vi.mock('node:timers/promises', async (original) => {
  const real = await original<typeof import('node:timers/promises')>();
  const setTimeout: typeof real.setTimeout = (milliseconds = 0, value, options) =>
    real.setTimeout(milliseconds < 60_000 ? 0 : milliseconds, value, options);
  return { ...real, setTimeout };
});

interface EmbeddingsRequest {
  readonly model: string;
  readonly input: string[];
  readonly encoding_format: string;
  readonly dimensions?: number;
}

let stub: StubServer;

beforeAll(async () => {
  stub = await StubServer.start(() => undefined);
});
beforeEach(() => {
  stub.requests.length = 0;
  stub.handle(embeddings());
  vi.stubEnv('OPENAI_BASE_URL', `${stub.url}/v1/`);
});
afterEach(() => vi.unstubAllEnvs());
afterAll(() => stub.close());

/** Returns a vector that differs for texts of different length. */
function vectorOf(text: string): number[] {
  return [text.length + 0.1, -0.25];
}

function base64(vector: number[]): string {
  return Buffer.from(Float32Array.from(vector).buffer).toString('base64');
}

/** Responds in the format of OpenAI. */
function embeddings(encode: (vector: number[]) => unknown = base64): StubHandler {
  return (request, response) => {
    const { input } = JSON.parse(request.body) as EmbeddingsRequest;
    const data = input.map((text, index) => ({ object: 'embedding', index, embedding: encode(vectorOf(text)) }));
    // The protocol does not promise an order: the index identifies the text.
    response.end(JSON.stringify({ object: 'list', data: data.reverse(), model: 'm' }));
  };
}

function asked(): EmbeddingsRequest[] {
  return stub.requests.map(({ body }) => JSON.parse(body) as EmbeddingsRequest);
}

function params(more: Record<string, unknown> = {}): Record<string, unknown> {
  return { source: 'text', embedDocument: true, embedChildren: false, apiKey: 'key', ...more };
}

/** Embeds one document. Returns its JSON, or the error. */
async function embedded(document: Record<string, unknown>, more: Record<string, unknown> = {}) {
  const [outcome] = await runStage(OpenAIEmbed, params(more), [document]);
  return outcome?.error ?? outcome?.documents[0];
}

/** Processes documents at the same time. Returns for each its vector, or the error. */
async function together(documents: readonly Document[], more: Record<string, unknown> = {}): Promise<string[]> {
  const stage = makeStage(OpenAIEmbed, params(more));
  await stage.start?.();
  const settled = await Promise.allSettled(documents.map((document) => stage.process(document)));
  await stage.stop?.();
  return settled.map((result, i) =>
    result.status === 'fulfilled' ? writeValue(documents[i]?.get('embeddings') ?? null) : String(result.reason),
  );
}

describe('OpenAIEmbed', () => {
  it('satisfies the stage contract', async () => {
    const children = [{ id: 'c', text: 'child' }];
    await assertStageContract(OpenAIEmbed, {
      params: params({ embedChildren: true }),
      document: { id: '1', text: 'something', ___children: children },
    });
  });

  it('sends requests in the format of the protocol and writes numbers of single precision', async () => {
    expect(await embedded({ id: '1', text: 'abc' })).toBe('{"id":"1","text":"abc","embeddings":[3.1,-0.25]}');
    expect(stub.requests[0]).toMatchObject({
      method: 'POST',
      path: '/v1/embeddings',
      headers: { authorization: 'Bearer key', 'content-type': 'application/json' },
    });
    expect(asked()).toEqual([{ model: 'text-embedding-3-small', input: ['abc'], encoding_format: 'base64' }]);
  });

  it('reads vectors of numbers from servers without base64', async () => {
    stub.handle(embeddings((vector) => vector.map((number) => Math.fround(number))));
    expect(await embedded({ id: '1', text: 'abc' })).toContain('"embeddings":[3.1,-0.25]');
    stub.handle(embeddings(() => [1, 2]));
    expect(await embedded({ id: '1', text: 'abc' })).toContain('"embeddings":[1.0,2.0]');
  });

  it('accepts known models in any letter case, other models unchanged, and dimensions', async () => {
    await embedded({ id: '1', text: 'a' }, { modelName: 'TEXT-embedding-3-LARGE', dimensions: 256 });
    await embedded({ id: '1', text: 'a' }, { modelName: 'Nomic-Embed' });
    expect(asked()).toMatchObject([{ model: 'text-embedding-3-large', dimensions: 256 }, { model: 'Nomic-Embed' }]);
    const warnings = OpenAIEmbed.check(
      withDefaults(OpenAIEmbed.parameters, { ...params({ modelName: 'text-embeding-3-small', dest: 'e' }) } as never),
    );
    expect([...warnings]).toMatchObject([{ severity: 'warning', hint: 'Did you mean text-embedding-3-small?' }]);
  });

  it('replaces an earlier vector and embeds the first of several texts', async () => {
    const document = { id: '1', text: [12.5, 'b'], vector: [9, 9] };
    expect(await embedded(document, { dest: 'vector' })).toBe('{"id":"1","text":[12.5,"b"],"vector":[4.1,-0.25]}');
  });

  it.each([[undefined], [null], [''], [' \n'], [[]], [{ a: 1 }]])(
    'does not change a document with the text %j',
    async (text) => {
      const document = { id: '1', ...(text === undefined ? {} : { text }) };
      expect(await embedded(document)).toBe(JSON.stringify(document));
      expect(stub.requests).toEqual([]);
    },
  );

  it('embeds children and keeps children without text', async () => {
    const children = [{ id: 'a', text: 'one' }, { id: 'b' }, { id: '1', text: 'three' }, { id: 'd', text: ' ' }];
    const document = { id: '1', text: 'parent', ___children: children };
    const vector = (text: string) => vectorOf(text);
    expect(readJson((await embedded(document, { embedChildren: true, embedDocument: false })) as string)).toEqual(
      readJson(
        JSON.stringify({
          ...document,
          ___children: [
            { ...children[0], embeddings: vector('one') },
            children[1],
            { ...children[2], embeddings: vector('three') },
            children[3],
          ],
        }),
      ),
    );
    expect(asked().map(({ input }) => input)).toEqual([['one', 'three']]);
    expect(await embedded({ id: '1', ___children: [{ id: 'b' }] }, { embedChildren: true })).toBe(
      '{"id":"1","___children":[{"id":"b"}]}',
    );
  });

  describe('documents in flight together', () => {
    const documents = (count: number) =>
      Array.from({ length: count }, (_, i) => toDocument({ id: `${i}`, text: `text ${i}` }));

    it('share requests', async () => {
      const results = await together(documents(200));
      expect(results).toEqual(documents(200).map((_, i) => writeValue(vectorOf(`text ${i}`))));
      expect(asked().map(({ input }) => input.length)).toEqual([128, 72]);
    });

    it('share only requests that are not too large', async () => {
      const long = Array.from({ length: 60 }, (_, i) => toDocument({ id: `${i}`, text: `${i} `.padEnd(8000, 'x') }));
      await together(long);
      expect(asked().map(({ input }) => input.length)).toEqual([25, 25, 10]);
    });

    it('fail only if their own text is refused', async () => {
      const healthy = embeddings();
      stub.handle((request, response) => {
        if (!request.body.includes('"text 77"')) return healthy(request, response);
        response.writeHead(400).end('{"error":{"message":"text 77 is bad"}}');
      });
      const results = await together(documents(100));
      expect(results[77]).toMatch(/answered 400 Bad Request: .*text 77 is bad/);
      expect(results.filter((result) => !result.startsWith('['))).toHaveLength(1);
    });
  });

  describe('fails documents', () => {
    const answers: [string, string, RegExp][] = [
      ['with too few embeddings', '{"data":[]}', /has 0 embeddings for 1 texts/],
      ['without embeddings', '{"object":"list"}', /has no embeddings for 1 texts/],
      ['that is not JSON', '<html>', /is not JSON/],
      ['with something else for a vector', '{"data":[{"index":0,"embedding":["x"]}]}', /not a list of numbers/],
      ['with half a vector', '{"data":[{"index":0,"embedding":"AAA="}]}', /not a list of numbers/],
      ['for another text', '{"data":[{"index":5,"embedding":[1]}]}', /not have an embedding for each text/],
    ];
    it.each(answers)('if an answer is one %s', async (_, body, message) => {
      stub.handle((_, response) => void response.end(body));
      expect(await embedded({ id: '1', text: 'a' })).toMatch(message);
    });

    it('with the message of the server, after a single request', async () => {
      stub.handle((_, response) => void response.writeHead(401).end('{"error":{"message":"Incorrect API key"}}'));
      expect(await together([toDocument({ id: '1', text: 'a' }), toDocument({ id: '2', text: 'b' })])).toEqual(
        Array(2).fill(expect.stringMatching(/answered 401 Unauthorized: .*Incorrect API key/)),
      );
      expect(stub.requests).toHaveLength(1);
    });
  });

  describe('with a server error for several texts', () => {
    const documents = (count: number) =>
      Array.from({ length: count }, (_, i) => toDocument({ id: `${i}`, text: `text ${i}` }));

    it('fails only the text that is too long, without retries if the answer says so', async () => {
      const healthy = embeddings();
      stub.handle((request, response) => {
        if (!request.body.includes('"text 21"')) return healthy(request, response);
        response.writeHead(500).end('{"error":"the input length exceeds the context length"}');
      });
      const results = await together(documents(40));
      expect(results.filter((result) => !result.startsWith('['))).toEqual([
        expect.stringMatching(/answered 500 .*exceeds the context length/),
      ]);
      // The batch, and both halves of each part with the bad text: 40, 20, 10, 5, then 3 or 2, and 1.
      expect(stub.requests.length).toBeLessThan(15);
    });

    it('fails only the text that the server cannot process, after the retries', async () => {
      const healthy = embeddings();
      stub.handle((request, response) => {
        if (!request.body.includes('"text 1"')) return healthy(request, response);
        response.writeHead(502, { 'retry-after': '0' }).end();
      });
      const results = await together(documents(2));
      expect(results).toEqual([expect.stringMatching(/^\[/), expect.stringMatching(/answered 502/)]);
    });

    it('does not send halves to a server that fails for each text', async () => {
      stub.handle((_, response) => void response.writeHead(503).end('down'));
      const results = await together(documents(3));
      expect(results).toEqual(Array(3).fill(expect.stringMatching(/answered 503 .*down/)));
      // Seven attempts with all texts, three with one.
      expect(asked().map(({ input }) => input.length)).toEqual([3, 3, 3, 3, 3, 3, 3, 1, 1, 1]);
    });
  });

  it('sends one request if the quota is used up, and fails the next documents without one', async () => {
    const quota = '{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}';
    stub.handle((_, response) => void response.writeHead(429, { 'retry-after': '1' }).end(quota));
    const context = stageContext();
    const documents = Array.from({ length: 20 }, (_, i) => ({ id: `${i}`, text: `text ${i}` }));
    const outcomes = await runStage(OpenAIEmbed, params(), documents, context);
    expect(outcomes.map(({ error }) => error)).toEqual(
      Array(20).fill(expect.stringMatching(/answered 429 .*exceeded your current quota/)),
    );
    expect(stub.requests).toHaveLength(1);
    expect(context.logged).toEqual([expect.stringMatching(/^The documents of the next minute fail .*quota/)]);
  });

  it('logs a long wait with its reason', async () => {
    stub.handle((_, response) => void response.writeHead(429, { 'retry-after': '70' }).end('tokens per min'));
    const logged = Promise.withResolvers<string>();
    const log = { debug() {}, info() {}, warn: logged.resolve, error() {} };
    const stage = makeStage(OpenAIEmbed, params(), stageContext({ log }));
    await stage.start?.();
    const failed = expect(stage.process(toDocument({ id: '1', text: 'a' }))).rejects.toThrow('cancelled');
    expect(await logged.promise).toMatch(/^Waits 70 s before the next attempt: POST .* answered 429 .*tokens per min$/);
    await stage.stop?.();
    await failed;
  });

  it('does not wait for hours', async () => {
    stub.handle((_, response) => void response.writeHead(429, { 'retry-after': '7200' }).end('daily limit'));
    expect(await embedded({ id: '1', text: 'a' })).toMatch(/answered 429 .*daily limit/);
    expect(stub.requests).toHaveLength(1);
  });

  it('reports lists of which it embeds only the first value', async () => {
    const context = stageContext();
    const documents = [
      { id: '1', text: ['one', 'two'], ___children: [{ id: 'c', text: ['a', 'b', 'c'] }] },
      { id: '2', text: ['one'] },
      { id: '3', text: [] },
    ];
    await runStage(OpenAIEmbed, params({ embedChildren: true }), documents, context);
    expect(context.collector.list()).toMatchObject([
      {
        code: 'embedding.cut',
        count: 2,
        examples: [
          { document: '1', hint: expect.stringContaining('2 values') },
          { hint: expect.stringContaining('3') },
        ],
      },
    ]);
  });

  it('cuts texts to maxTokens, and reports it', async () => {
    const context = stageContext();
    await runStage(
      OpenAIEmbed,
      params({ maxTokens: 2 }),
      [
        { id: '1', text: 'one two three' },
        { id: '2', text: 'a' },
      ],
      context,
    );
    expect(asked().map(({ input }) => input)).toEqual([['one two'], ['a']]);
    expect(context.collector.list()).toMatchObject([
      {
        code: 'embedding.cut',
        count: 1,
        examples: [{ document: '1', field: 'text', hint: expect.stringContaining('7 of 13') }],
      },
    ]);
  });

  it('retries after the rate limit, at the time of Retry-After, and after temporary failures', async () => {
    let count = 0;
    const healthy = embeddings();
    stub.handle((request, response) => {
      count++;
      if (count === 1) response.writeHead(429, { 'retry-after': '0' }).end();
      else if (count === 2) response.writeHead(500).end();
      else return healthy(request, response);
    });
    expect(await embedded({ id: '1', text: 'a' })).toContain('embeddings');
    expect(count).toBe(3);
  });

  it('uses baseUrl for any model, in preference to OPENAI_BASE_URL', async () => {
    vi.stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:1/v1');
    const more = { baseUrl: ` ${stub.url}/own/v1/ `, modelName: 'nomic-embed-text' };
    expect([
      ...OpenAIEmbed.check(withDefaults(OpenAIEmbed.parameters, { ...params(more), dest: 'e' } as never)),
    ]).toEqual([]);
    await runStage(OpenAIEmbed, params(more), [{ id: '1', text: 'By the sea' }]);
    expect(stub.requests.map(({ path }) => path)).toEqual(['/own/v1/embeddings']);
  });

  it('does not start if OPENAI_BASE_URL is not a URL', async () => {
    vi.stubEnv('OPENAI_BASE_URL', 'localhost:11434/v1');
    await expect(runStage(OpenAIEmbed, params(), [])).rejects.toThrow(/^OPENAI_BASE_URL must be an http or https URL/);
  });

  it.each([
    [{ embedDocument: false }, /^embedDocument: At least one/],
    [{ apiKey: ' ' }, /^apiKey: .*blank/],
    [{ apiKey: 'a\nb' }, /^apiKey: .*line break/],
    [{ dest: '___children' }, /^dest: .*reserved/],
    [{ dimensions: 0 }, /^dimensions: /],
    [{ baseUrl: 'localhost:11434/v1' }, /^baseUrl: .*http/],
    [{ baseUrl: 'file:///etc/passwd' }, /^baseUrl: .*http/],
  ])('refuses the parameters %j', (more, message) => {
    expect(() => makeStage(OpenAIEmbed, params(more))).toThrow(message);
  });
});

describe('the cache of OpenAIEmbed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'headrace-embed-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const documents = [
    { id: '1', text: 'a' },
    { id: '2', text: 'bb', ___children: [{ id: '2-1', text: 'ccc' }] },
  ];
  const run = async (cache: object, more: Record<string, unknown> = {}) => {
    const lookups: boolean[] = [];
    const context = stageContext({ onCacheLookup: (isHit) => lookups.push(isHit) });
    const given = params({ embedChildren: true, cache, ...more });
    const outcomes = await runStage(OpenAIEmbed, given, documents, context);
    return { outcomes, lookups, logged: context.logged, texts: asked().flatMap(({ input }) => input) };
  };

  it('answers the second run of an unchanged source without a request', async () => {
    const cache = { path: join(folder, 'new', 'vectors') };
    const first = await run(cache);
    expect([first.texts, first.lookups]).toEqual([
      ['a', 'bb', 'ccc'],
      [false, false, false],
    ]);
    const second = await run(cache);
    expect(second.texts).toEqual(first.texts);
    expect([second.outcomes, second.lookups]).toEqual([first.outcomes, [true, true, true]]);
    // Another model, or another length, makes other vectors.
    expect((await run(cache, { dimensions: 2 })).texts).toHaveLength(6);
    expect((await run(cache, { modelName: 'text-embedding-3-large' })).texts).toHaveLength(9);
  });

  it('reports a damaged file once, and the run continues without it', async () => {
    const path = join(folder, 'damaged');
    writeFileSync(path, 'no database'.repeat(500));
    const { outcomes, logged, texts } = await run({ path });
    expect(outcomes.every(({ error }) => error === undefined)).toBe(true);
    expect([texts.length, logged]).toEqual([3, [expect.stringMatching(/^The cache in .* is not used in this run: /)]]);
  });

  it('needs one place', () => {
    for (const cache of [{}, { path: 'a', connectionString: 'jdbc:postgresql://host/db' }]) {
      expect(() => makeStage(OpenAIEmbed, params({ cache }))).toThrow('either path or connectionString');
    }
    expect(() => makeStage(OpenAIEmbed, params({ cache: { connectionString: 'jdbc:mysql://host/db' } }))).toThrow(
      'must begin with jdbc:postgresql:',
    );
  });
});
