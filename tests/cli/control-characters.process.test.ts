import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { directoryWith, headrace, installHeadrace } from './headrace.ts';

const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;
/** A value that clears the screen, sets the title of the terminal, and forges a line. */
const ATTACK = '\u001b]0;pwn\u0007\u001b[2J\u009b31mred\r\n12:00:00 error: forged\u2028\u202e';
const foreign = fc.string({
  minLength: 1,
  unit: fc.constantFrom('\n', '\r', '\u001b', '\u009b', '\u0007', '\u2029', '\u2067', '\\', '"', 'x', ' '),
});

/** A component that prints and throws values of its documents, as libraries do, in all ways that Node has. */
const CHATTY = `import { Stage, Type } from 'headrace';
export class Chatty extends Stage {
  static parameters = Type.Object({});
  process(document) {
    const t = document.get('t');
    const bytes = Buffer.from(t);
    for (const stream of [process.stdout, process.stderr]) {
      stream.write(t);
      stream.write(bytes.toString('hex'), 'hex');
    }
    console.log('log ' + t);
    console.error('error ' + t);
    process.stderr.write(bytes);
    for (let i = 0; i < bytes.length; i++) process.stderr.write(bytes.subarray(i, i + 1));
    this.context.log.warn('warn ' + document.get('t'));
    if (document.get('bad')) throw new Error('thrown ' + document.get('t'));
  }
}
`;

/** Returns a folder with nasty documents, and configs whose names, values and tests are nasty, too. */
function prepare(): string {
  const values = [ATTACK, ...fc.sample(foreign, 50)];
  const documents = values.map((t, i) => JSON.stringify({ id: `${i}${t}`, t, bad: i % 2 === 0 }));
  const text = JSON.stringify(ATTACK);
  const config = {
    connectors: [{ class: 'JSONConnector', name: `c${ATTACK}`, pipeline: 'p', jsonPath: 'in.jsonl' }],
    pipelines: [{ name: 'p', stages: [{ class: './chatty.js#Chatty' }, { class: 'Print' }] }],
    indexer: { type: 'JSONLines' },
    jsonl: { path: 'out.jsonl' },
    tests: [{ name: `t${ATTACK}`, in: { id: ATTACK, t: ATTACK, bad: true }, out: { id: ATTACK, t: 'other' } }],
    [`unknown${ATTACK}`]: 1,
  };
  const cwd = directoryWith({
    'package.json': '{"type":"module"}',
    'chatty.js': CHATTY,
    'in.jsonl': `${documents.join('\n')}\n`,
    'a.conf': JSON.stringify(config),
    'broken.conf': `connectors: [${text} ${text}`,
  });
  installHeadrace(cwd);
  return cwd;
}

describe('names and values of documents and configs', () => {
  const commands: readonly (readonly string[])[] = [
    ['run', 'a.conf'],
    ['run', 'a.conf', '--dry-run', `d${ATTACK}`],
    ['preview', 'a.conf', '--documents', 'in.jsonl'],
    ['preview', 'a.conf', '--documents', 'in.jsonl', '--trace'],
    ['preview', 'a.conf', '--documents', 'in.jsonl', '--json'],
    ['test', 'a.conf', '--junit', 'report.xml'],
    ['validate', 'a.conf'],
    ['validate', 'a.conf', '--json'],
    ['validate', 'broken.conf'],
    ['render', 'a.conf'],
    ['render', 'a.conf', '--hocon'],
    ['init', `made${ATTACK.replaceAll('/', '')}.conf`],
    ['run', `missing${ATTACK}.conf`],
    ['components', ATTACK],
    [ATTACK],
  ];

  it('send nothing to the terminal that shows the output of a command, and forge no line', async () => {
    const cwd = prepare();
    for (const command of commands) {
      const { stdout, stderr } = await headrace(command, { cwd });
      for (const line of [stdout, stderr].join('\n').split('\n')) {
        expect(line, command.join(' ')).not.toMatch(CONTROLS);
      }
      // A component may write lines to standard output, where no log is.
      const forged = ['run', 'preview', 'test'].includes(command[0] ?? '') ? stderr : stdout + stderr;
      // Two indents would be those of both threads.
      expect(forged, command.join(' ')).not.toMatch(/^(?: {8})?12:00:00/m);
      expect(stdout + stderr, command.join(' ')).not.toBe('');
    }
    expect(readFileSync(join(cwd, 'report.xml'), 'utf8').replaceAll('\n', '')).not.toMatch(CONTROLS);
    // The documents are data: they keep their values.
    const written = readFileSync(join(cwd, 'out.jsonl'), 'utf8').split('\n');
    expect(written.length).toBeGreaterThan(20);
  });

  it('are not among the documents of a preview if a component logs them to the console', async () => {
    const cwd = directoryWith({
      'package.json': '{"type":"module"}',
      'chatty.js': `import { Stage, Type } from 'headrace';
export class Chatty extends Stage {
  static parameters = Type.Object({});
  process(document) {
    for (const name of ['log', 'info', 'debug', 'dir', 'table']) console[name](document.get('t'));
  }
}
`,
      'in.jsonl': JSON.stringify({ id: '1', t: 'x\n{"id":"forged"}' }),
      'a.conf': `pipelines: [{ name: p, stages: [{ class: "./chatty.js#Chatty" }] }]
connectors: [{ class: JSONConnector, name: c, pipeline: p, jsonPath: "in.jsonl" }], indexer { type: Nop }`,
    });
    installHeadrace(cwd);
    const { stdout, stderr } = await headrace(['preview', 'a.conf', '--documents', 'in.jsonl'], { cwd });
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).id),
    ).toEqual(['1']);
    expect(stderr.match(/forged/g)).toHaveLength(5);
  });

  it('stay as they are if a component writes them as bytes to another program', async () => {
    const cwd = directoryWith({
      'package.json': '{"type":"module"}',
      'raw.js': `import { Stage, Type } from 'headrace';
export class Raw extends Stage {
  static parameters = Type.Object({});
  process() { process.stdout.write(Buffer.from('\\u001b[1mraw')); }
}
`,
      'a.conf': `connectors: [{ class: SequenceConnector, name: c, pipeline: p, numDocs: 1 }]
pipelines: [{ name: p, stages: [{ class: "./raw.js#Raw" }] }], indexer { type: Nop }`,
    });
    installHeadrace(cwd);
    const { stdout } = await headrace(['run', 'a.conf'], { cwd });
    expect(stdout).toContain('\u001b[1mraw');
  });
});
