import { stageContext, toDocument } from '@headrace/engine/testing';
import { SandboxedScript } from '@headrace/sandbox/javascript';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { DocumentHost } from './document-host.ts';
import { scriptError } from './script-error.ts';

const LIMITS = { millis: 300, bytes: 8 * 1024 * 1024 };

/** Returns for each document its JSON, or the message of its error. */
async function outcomes(source: string, documents: Record<string, unknown>[], limits = LIMITS): Promise<string[]> {
  const script = await SandboxedScript.open(
    source,
    'script',
    new DocumentHost(stageContext().log),
    scriptError,
    limits,
  );
  onTestFinished(() => script.close());
  const found: string[] = [];
  for (const [i, fields] of documents.entries()) {
    const document = toDocument({ id: `${i + 1}`, ...fields });
    try {
      await script.run(document);
      found.push(document.toJson());
    } catch (error) {
      found.push((error as Error).message);
    }
  }
  return found;
}

describe('SandboxedScript', () => {
  it.each([
    ['a loop', '\nwhile (true) Math.abs(1)'],
    ['a loop that catches everything', '\nwhile (true) try { for (;;) Math.abs(1) } catch {} finally { for (;;) {} }'],
    ['a regular expression', '\n/^(a*)*$/.test("a".repeat(100) + "b")'],
    ['a promise', 'Promise.resolve().then(() => { while (true) {} })'],
    ['promises of promises', 'const again = () => { Promise.resolve().then(again) }; again()'],
    ['a sort', '\nArray.from({ length: 10000 }, (_, i) => i).sort((a, b) => { while (true) {} })'],
  ])('terminates %s after the time limit and restarts the script', async (_, bad) => {
    const source = `var n = (n || 0) + 1; if (doc.bad) { ${bad} }\ndoc.n = n`;
    expect(await outcomes(source, [{}, { bad: 1 }, {}])).toEqual([
      '{"id":"1","n":1}',
      expect.stringMatching(/^script(, near line [12])?: took more than 300 ms of processor time for one document$/),
      '{"id":"3","n":1}',
    ]);
  });

  it('reports the line of the loop at the time limit, or of the code before it', async () => {
    const source = `function never() {
  doc.never = true;
}

doc.before = true;

while (doc.before !== undefined) {

  doc.n = 1;

}

never();
doc.after = true`;
    const [message] = await outcomes(source, [{}]);
    expect(message).toMatch(/^script, near line ([5-9]|1[01]): took more than 300 ms of processor time/);
  });

  it.each([
    ['texts', '"x".repeat(500_000_000)'],
    ['lists', 'const a = []; while (true) a.push(Array.from("x".repeat(1000)))'],
    ['stored values', 'kept = []; while (true) kept.push(new ArrayBuffer(100000))'],
    [
      'stored values in a try block',
      'kept = []; while (true) try { kept.push(new ArrayBuffer(100000)) } catch (e) { throw e }',
    ],
    ['objects that leave no memory for an error', 'kept = new Map(); for (let i = 0; ; i++) kept.set({}, i)'],
    ['a written text', 'doc.text = "x".repeat(9_000_000)'],
  ])('limits the memory of %s', async (_, bad) => {
    const limits = { ...LIMITS, millis: 60_000 };
    expect(await outcomes(`if (doc.bad) { ${bad} }\ndoc.ok = true`, [{ bad: 1 }, {}], limits)).toEqual([
      expect.stringMatching(/^script(, line 1)?: used more than 8 MiB of memory$/),
      '{"id":"2","ok":true}',
    ]);
  });

  it('writes nothing to the console if promises exhaust the memory', async () => {
    const said = vi.spyOn(console, 'error').mockReturnValue();
    onTestFinished(() => said.mockRestore());
    const source = 'Promise.resolve().then(() => { kept = []; while (true) kept.push({}) })';
    const script = await SandboxedScript.open(source, 'script', new DocumentHost(stageContext().log), scriptError, {
      ...LIMITS,
      millis: 60_000,
    });
    await script.run(toDocument({ id: '1' }));
    script.close();
    expect(said).not.toHaveBeenCalled();
  });

  it('fails on a document that exceeds the memory', async () => {
    expect(await outcomes('doc.n = doc.text?.length', [{ text: 'x'.repeat(9_000_000) }, { text: 'x' }])).toEqual([
      expect.stringMatching(/used more than 8 MiB of memory/),
      '{"id":"2","text":"x","n":1}',
    ]);
  });

  it.each([
    ['JSON', 'let a = []; for (let i = 0; i < 100000; i++) a = [a]; JSON.stringify(a)'],
    ['the parser', 'eval("[".repeat(100000) + "]".repeat(100000))'],
    ['conversions', 'const o = { toString() { return "" + o } }; "" + o'],
    ['a value', 'let a = []; for (let i = 0; i < 990; i++) a = [a]; doc.deep = a; throw new Error("stack")'],
  ])('continues after a stack overflow in %s', async (_, bad) => {
    expect(await outcomes(`if (doc.bad) { ${bad} }\ndoc.ok = true`, [{ bad: 1 }, {}])).toEqual([
      expect.stringMatching(/stack/i),
      '{"id":"2","ok":true}',
    ]);
  });

  it('reports the line of syntax that QuickJS does not support', async () => {
    await expect(outcomes('\nlet let = 1', [])).rejects.toThrow(/^script, line 2: /);
  });

  it('truncates long log messages', async () => {
    const context = stageContext();
    const script = await SandboxedScript.open(
      'console.log("x".repeat(100000))',
      'script',
      new DocumentHost(context.log),
      scriptError,
      LIMITS,
    );
    onTestFinished(() => script.close());
    await script.run(toDocument({ id: '1' }));
    expect(context.logged.map((line) => line.length)).toEqual([8192]);
  });
});
