import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import type { IncludeRequest } from '../index.ts';
import { ArgumentError, parse, parseFile } from '../index.ts';

const directory = mkdtempSync(join(tmpdir(), 'hocon-files-'));
afterAll(() => rmSync(directory, { recursive: true }));

function write(name: string, text: string): string {
  const path = join(directory, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

describe('parseFile', () => {
  it('chooses the format by the file extension', () => {
    expect(parseFile(write('a.json', '{"a.b": 1}')).value).toEqual({ 'a.b': 1 });
    expect(parseFile(write('a.json', '{a: 1}')).problems[0]?.code).toBe('missing-key');
    expect(parseFile(write('a.properties', 'a.b = 1')).value).toEqual({ a: { b: '1' } });
    expect(parseFile(write('a.hocon', 'a.b = 1')).value).toEqual({ a: { b: 1 } });
  });

  it('includes the file name in positions, also for an included file', () => {
    write('sub/inc.conf', 'x = 1\ny = *');
    const main = write('main.conf', 'include "sub/inc"\nz = ${nope}');
    const { value, problems } = parseFile(main);
    expect(value).toEqual({ x: 1 });
    expect(problems.map(({ file, line }) => [file, line])).toEqual([
      [join(directory, 'sub/inc.conf'), 2],
      [main, 2],
    ]);
  });

  it('lists the mistakes of an including text before those of the included text, as the reference does', () => {
    write('m1.conf', 'a = [1] 2\nb = *\ninclude "m2"');
    write('m2.conf', 'c = *');
    const main = write('mistakes.conf', 'z = ${x..y}\ninclude "m1"\ny = ${x..y}\nd = *');
    const places = parseFile(main).problems.map(({ file, line }) => `${file?.slice(directory.length + 1)} ${line}`);
    expect(places).toEqual([
      'mistakes.conf 4',
      'mistakes.conf 1',
      'm1.conf 2',
      'm1.conf 1',
      'm2.conf 1',
      'mistakes.conf 3',
    ]);
  });

  it('reads an address unchanged, without trying extensions', () => {
    const at = pathToFileURL(write('bare', 'x = 1')).href;
    write('bare.conf', 'y = 2');
    expect(parseFile(write('address.conf', `include "${at}"`)).value).toEqual({ x: 1 });
    const [problem] = parseFile(write('web.conf', 'include "http://127.0.0.1:1/x"')).problems;
    expect(problem?.message).toContain('cannot include "http://127.0.0.1:1/x":');
  });

  it('reports a file that cannot be read', () => {
    const { value, problems } = parseFile(join(directory, 'none.conf'));
    expect(value).toEqual({});
    expect(problems).toMatchObject([{ code: 'file-unreadable', kind: 'IO', line: 1 }]);
  });

  it('reports the files of circular includes, and reads each file once', () => {
    write('c1.conf', 'a = 1\ninclude "c2.conf"');
    write('c2.conf', 'b = 2\ninclude "c3.conf"\ninclude "c3.conf"');
    write('c3.conf', 'c = 3\ninclude "c1.conf"');
    const { value, problems } = parseFile(write('circle.conf', 'include "c1"\nd = 4'));
    expect(value).toEqual({ a: 1, b: 2, c: 3, d: 4 });
    expect(problems[0]).toMatchObject({ code: 'include-cycle', file: join(directory, 'c3.conf'), line: 2 });
    expect(problems[0]?.message).toContain('c1.conf -> ');
    expect(problems[0]?.message).toContain('c3.conf -> ');
  });

  it('finds nothing at a path that cannot be a file', () => {
    write('plain.conf', 'x = 1');
    const main = write('odd.conf', 'include "plain.conf/y"\ninclude "nul\\u0000l.conf"\ninclude "."\na = 1');
    expect(parseFile(main)).toMatchObject({ value: { a: 1 }, problems: [] });
  });

  it('refuses addresses and too many includes', () => {
    const main = write('net.conf', 'include "http://127.0.0.1:1/x.conf"\na = 1');
    expect(parseFile(main).problems).toMatchObject([{ code: 'include-refused', kind: 'IO', line: 1 }]);
    write('leaf.conf', 'x = 1');
    const flood = parseFile(write('flood.conf', 'include "leaf.conf"\n'.repeat(3_000)));
    expect(flood.problems.map(({ code }) => code)).toEqual(['too-many-includes']);
  });
});

describe('an include loader', () => {
  it('is called for each include of the text', () => {
    const requests: IncludeRequest[] = [];
    const include = (request: IncludeRequest) => {
      requests.push(request);
      return request.name === 'b.conf' ? { file: 'memory:b', text: 'x = ${?y}' } : undefined;
    };
    const { value } = parse('o { y = 1, include "b" }\ninclude file("c.json")', { include, file: 'memory:a' });
    expect(value).toEqual({ o: { x: 1, y: 1 } });
    expect(requests).toEqual([
      { form: 'relative', name: 'b.properties', from: 'memory:a' },
      { form: 'relative', name: 'b.json', from: 'memory:a' },
      { form: 'relative', name: 'b.conf', from: 'memory:a' },
      { form: 'file', name: 'c.json', from: 'memory:a' },
    ]);
  });

  it('may throw an error to refuse an include', () => {
    const include = () => {
      throw new Error('includes are not allowed here');
    };
    expect(parse('a = 1\ninclude "b.conf"', { include }).problems).toMatchObject([
      { code: 'include-refused', line: 2, message: 'cannot include "b.conf": includes are not allowed here' },
    ]);
  });

  it('causes a problem at the include if it returns an invalid value', () => {
    const of = (given: unknown) =>
      parse('a = 1\ninclude "b.conf"', { include: () => given as never }).problems.map(({ code, line, message }) => {
        return `${line} ${code}: ${message}`;
      });
    expect(of(undefined)).toEqual([]);
    expect(of(null)).toEqual([]);
    const wrong = '2 include-refused: cannot include "b.conf": the loader must return { file, text }, both strings';
    for (const given of ['text', 5, {}, { text: 'x = 1' }, { file: 'b', text: 7 }])
      expect(of(given)[0]).toContain(wrong);
    expect(of(Promise.reject(new Error('late')))[0]).toContain('the loader returned a promise');
  });

  it('is called once for each file, and not after the text limit is reached', () => {
    let asked = 0;
    const include = ({ name }: IncludeRequest) => {
      asked++;
      return { file: name, text: `x = "${'y'.repeat(1_000)}"\n` };
    };
    const { problems } = parse('include "b.conf"\n'.repeat(5), { include, limits: { includedText: 3_500 } });
    expect(problems).toMatchObject([{ code: 'includes-too-long', kind: 'Limit', line: 4 }, { line: 5 }]);
    expect(asked).toBe(1);
  });
});

describe('arguments with wrong types', () => {
  const call = (text: unknown, options?: unknown) => () => parse(text as string, options as object);

  it('are refused, with the expected type', () => {
    expect(call(5)).toThrow(new ArgumentError('the text must be a string, not a number'));
    expect(call(undefined)).toThrow('the text must be a string, not undefined');
    expect(call(new Uint8Array())).toThrow('decode the bytes first');
    expect(call('', null)).toThrow('options must be an object, not null');
    expect(call('', { format: 'yaml' })).toThrow(
      'the option format must be "hocon", "json" or "properties", not "yaml"',
    );
    expect(call('', { formt: 'json' })).toThrow('there is no option "formt"; the options are env,');
    expect(call('', { env: { A: 1 } })).toThrow('the option env must be an object of strings, not this object');
    expect(call('', { include: 'x' })).toThrow('the option include must be a function');
    expect(call('', { limits: { depht: 1 } })).toThrow(
      'the option limits must be an object with numbers for some of depth',
    );
    expect(() => parseFile(7 as never)).toThrow('the path must be a string');
  });

  it('are refused even if they are undefined', () => {
    const options = { env: { A: undefined, B: 'x' }, file: undefined, limits: { depth: undefined } };
    expect(call('a = ${?A}${B}', options)()).toMatchObject({ value: { a: 'x' }, problems: [] });
  });
});
