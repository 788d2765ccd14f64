import type { ServerResponse } from 'node:http';
import { assertStageContract, makeStage, runStage, toDocument } from '@headrace/engine/testing';
import { inGroupsOf, type StubHandler, StubServer } from '@headrace/testing/stub-server';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { PromptOllama } from './prompt-ollama.ts';

let stub: StubServer;

beforeAll(async () => {
  stub = await StubServer.start(() => undefined);
});
beforeEach(() => {
  stub.requests.length = 0;
  stub.handle(says('{"topic":"sea"}'));
});
afterAll(() => stub.close());

function line(content: string, done = false): string {
  return `${JSON.stringify({ model: 'm', message: { role: 'assistant', content }, done })}\n`;
}

/** Streams a reply in the format of Ollama, a few characters at a time. */
function says(reply: string): StubHandler {
  return (_, response) => {
    for (const piece of reply.match(/[\s\S]{1,3}/gu) ?? []) response.write(line(piece));
    response.end(line('', true));
  };
}

function params(more: Record<string, unknown> = {}): Record<string, unknown> {
  return { hostURL: stub.url, modelName: 'm', ...more };
}

/** Sends one document to the model. Returns its JSON, or the error. */
async function asked(more: Record<string, unknown> = {}, document: string | Record<string, unknown> = { id: '1' }) {
  const [outcome] = await runStage(PromptOllama, params(more), [document]);
  return outcome?.error ?? outcome?.documents[0];
}

describe('PromptOllama', () => {
  it('satisfies the stage contract', async () => {
    await assertStageContract(PromptOllama, { params: params(), document: { id: '1', a: 'x' } });
  });

  it('sends the system prompt and only the current document', async () => {
    const documents = ['{"id":"1","a":[1.0,"ü\\n"]}', '{"id":"2"}'];
    await runStage(PromptOllama, params({ systemPrompt: 'Say "topic".' }), documents);
    expect(stub.requests).toMatchObject([{ method: 'POST', path: '/api/chat' }, {}]);
    const body = (content: string) => ({
      model: 'm',
      messages: [
        { role: 'system', content: 'Say "topic".' },
        { role: 'user', content },
      ],
      stream: true,
      format: 'json',
    });
    expect(stub.requests.map((request) => JSON.parse(request.body))).toEqual(documents.map(body));
  });

  it('sends the configured fields in order, and null for missing fields', async () => {
    await asked({ fields: ['b', 'none', 'a'] }, '{"id":"1","a":1.0,"b":{"x":[]}}');
    expect(JSON.parse(stub.requests[0]?.body as string).messages).toEqual([
      { role: 'user', content: '{"b":{"x":[]},"none":null,"a":1.0}' },
    ]);
  });

  it.each([
    ['{"a":1.0,"l":[1,"x"],"n":null,"o":{"k":1}}', '{"id":"1","a":1.0,"l":[1,"x"],"n":null,"o":{"k":1}}'],
    ['{"a":"größe 😀"}', '{"id":"1","a":"größe 😀"}'],
    ['{"a":1} and so on', '{"id":"1","a":1}'],
    ['```json\n{"a": 1}\n```', '{"id":"1","a":1}'],
    [' ``` \n\n{"a": 1}``` \n', '{"id":"1","a":1}'],
    ['```JSON \r\n{"a": "```"}\n\n```', '{"id":"1","a":"```"}'],
    ['{}', '{"id":"1"}'],
  ])('writes the keys of %s to fields', async (reply, expected) => {
    stub.handle(says(reply));
    expect(await asked({ requireJSON: true })).toBe(expected);
  });

  it('applies updateMode to existing fields', async () => {
    const document = { id: '1', topic: 'land' };
    expect(await asked({}, document)).toBe('{"id":"1","topic":"sea"}');
    expect(await asked({ updateMode: 'append' }, document)).toBe('{"id":"1","topic":["land","sea"]}');
    expect(await asked({ updateMode: 'skip' }, document)).toBe('{"id":"1","topic":"land"}');
  });

  it.each([
    'I cannot say.',
    '',
    '42',
    '[1]',
    '```\n```',
    '```',
    '```xml\n{}\n```',
    '```json {}```',
    'true story',
    '{"a":',
    '"text"',
  ])('writes the answer "%s" to ollamaResponse, or fails if requireJSON is true', async (reply) => {
    stub.handle(says(reply));
    expect(await asked()).toBe(JSON.stringify({ id: '1', ollamaResponse: reply }));
    expect(await asked({ requireJSON: true })).toBe(`The model m answered without a JSON object: ${reply}`);
  });

  it.each(['```json', '```json\n{'])('processes a long unfinished answer after %j in linear time', async (start) => {
    // Reading the answer again from every blank would take minutes.
    const reply = `${start}${' '.repeat(200_000)}x`;
    stub.handle(says(reply));
    expect(await asked()).toBe(JSON.stringify({ id: '1', ollamaResponse: reply }));
  });

  it.each(['id', 'run_id', ''])('fails if the answer has the key "%s"', async (key) => {
    stub.handle(says(JSON.stringify({ [key]: 'x' })));
    expect(await asked()).toMatch(/field/i);
  });

  describe('fails a document', () => {
    const failing: [string, (response: ServerResponse) => void, RegExp][] = [
      [
        'with the error message of the server',
        (to) => to.writeHead(404).end('{"error":"model \'m\' not found"}'),
        /404 .*not found/,
      ],
      [
        'if the stream contains an error',
        (to) => to.end(`${line('{')}{"error":"out of memory"}\n`),
        /failed: out of mem/,
      ],
      ['if the stream ends early', (to) => to.end(line('{"a"')), /before it was complete/],
      ['if the connection is lost', (to) => to.write(line('{'), () => to.destroy()), /closed before the answer/],
      ['if the answer is not a chat stream', (to) => to.end('<html>\n'), /not JSON: <html>/],
    ];
    it.each(failing)('%s', async (_, answer, message) => {
      stub.handle((_, response) => answer(response));
      expect(await asked()).toMatch(message);
    });

    it('if the server is silent, and continues with the next document', async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
      onTestFinished(() => void vi.useRealTimers());
      let count = 0;
      stub.handle((request, response) => {
        if (++count > 1) return says('{"a":1}')(request, response);
        response.write(line('{'), () => void vi.advanceTimersByTime(2000));
      });
      const stage = makeStage(PromptOllama, params({ timeout: 2 }));
      await stage.start?.();
      const silent = /^Ollama at http.*\/api\/chat sent nothing for 2 s$/;
      await expect(stage.process(toDocument({ id: '1' }))).rejects.toThrow(silent);
      const next = toDocument({ id: '2' });
      await stage.process(next);
      await stage.stop?.();
      expect(next.get('a')).toBe(1);
    });
  });

  it('retries if the server is busy', async () => {
    let count = 0;
    stub.handle((request, response) => {
      if (++count === 1) response.writeHead(503).end('{"error":"server busy"}');
      else return says('{"a":1}')(request, response);
    });
    expect(await asked()).toBe('{"id":"1","a":1}');
  });

  it('sends 8 requests at a time, and does not time out while a request is queued', async () => {
    stub.handle(inGroupsOf(8, says('{"a":1}')));
    const stage = makeStage(PromptOllama, params());
    expect(stage.maxInFlight).toBe(8);
    await stage.start?.();
    const documents = Array.from({ length: 8 }, (_, i) => toDocument({ id: `${i}` }));
    await Promise.all(documents.map((document) => stage.process(document)));
    await stage.stop?.();
    expect(documents.map((document) => document.get('a'))).toEqual(Array(8).fill(1));
  });

  it.each([
    [{ hostURL: 'localhost:11434' }, /^hostURL: /],
    [{ modelName: ' ' }, /^modelName: /],
    [{ timeout: 0 }, /^timeout: /],
    [{ timeout: 'soon' }, /^timeout: /],
    [{ updateMode: 'replace' }, /^updateMode: /],
  ])('refuses the parameters %j', (more, message) => {
    expect(() => makeStage(PromptOllama, params(more))).toThrow(message);
  });
});
