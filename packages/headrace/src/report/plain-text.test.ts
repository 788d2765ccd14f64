import type { RunProgress } from '@headrace/engine/reading';
import { load } from 'cheerio';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { problemLines } from '../config/print-problems.ts';
import { writeLines } from '../process/output.ts';
import { sayError } from '../process/standard-error.ts';
import { JsonReporter } from './json-reporter.ts';
import { junitXml } from './junit.ts';
import { createServiceLog } from './service-log.ts';
import { TerminalReporter } from './terminal-reporter.ts';

const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;
const foreign = fc.string({
  unit: fc.oneof(fc.constantFrom('\n', '\r', '\u001b', '\u007f', '\u009b', '\u2028', '\u202e', '\\'), fc.string()),
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** Returns the lines that a function writes to standard output and standard error, without the final line break. */
function written(write: () => void): string[] {
  const texts: string[] = [];
  const spies = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockImplementation((text) => texts.push(String(text)) > 0),
  );
  write();
  for (const spy of spies) spy.mockRestore();
  return texts.join('').split('\n').slice(0, -1);
}

/** Checks that a writer writes the same number of lines for any foreign text, without control characters. */
function checkWriter(write: (text: string) => void): void {
  const expected = written(() => write('a')).length;
  fc.assert(
    fc.property(foreign, (text) => {
      const lines = written(() => write(text));
      expect(lines).toHaveLength(expected);
      expect(lines.join('').replaceAll('\r\u001b[K', '')).not.toMatch(CONTROLS);
    }),
  );
}

describe('foreign text is data', () => {
  it('in lines of commands', () => {
    checkWriter((text) => writeLines('stdout', [text, `b ${text}`]));
    checkWriter((text) => writeLines('stderr', problemLines([problem(text)], text)));
    checkWriter((text) => sayError(text));
  });

  it('in the log and the progress line of a run at a terminal', () => {
    checkWriter((text) => {
      const progress = { connectors: [{ name: text, status: 'running' }], counts: NONE } as unknown as RunProgress;
      const reporter = new TerminalReporter(Object.assign(process.stderr, { columns: 1000 }), () => progress);
      reporter.log({ level: 'error', time: 0, logger: text, message: text, fields: { reason: text } });
      reporter.close();
    });
  });

  it('in the log of a run for programs, which stays JSON', () => {
    checkWriter((text) => {
      new JsonReporter('run').log({ level: 'error', time: 0, logger: text, message: text, fields: { reason: text } });
    });
    const [line = ''] = written(() => {
      new JsonReporter('run').log({ level: 'error', time: 0, logger: 'l', message: '\u009b\u202e\n' });
    });
    expect(JSON.parse(line)).toMatchObject({ msg: '\u009b\u202e\n' });
  });

  it('in the pretty log of the service, where the lines of a stack are indented', () => {
    checkWriter((text) => {
      const log = createServiceLog({ level: 'info', format: 'pretty' });
      log.info({ requestId: text, runId: text }, text);
    });
    const lines = written(() => {
      const error = new Error('bad\u001b[2J\n12:00:00 error: forged');
      createServiceLog({ level: 'info', format: 'pretty' }).error(error, 'It failed');
    });
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d error: It failed$/);
    expect(lines.slice(1, 3)).toEqual(['    Error: bad\\u001b[2J', '    12:00:00 error: forged']);
    expect(lines.slice(1).filter((line) => !line.startsWith('    '))).toEqual([]);
  });

  it('in a report of tests as JUnit XML', () => {
    fc.assert(
      fc.property(foreign, (text) => {
        const xml = junitXml([
          { config: text, results: [{ name: text, seconds: 0, failure: [text, text] }], problems: [problem(text)] },
        ]);
        expect(xml.replaceAll('\n', '')).not.toMatch(CONTROLS);
        const cases = load(xml, { xml: true })('testcase');
        expect(cases.map((_, element) => element.attribs['classname'])).toHaveLength(2);
        expect(load(xml, { xml: true })('failure').text().split('\n')).toHaveLength(2);
      }),
    );
  });
});

const NONE = { published: 0, created: 0, succeeded: 0, failed: 0, dropped: 0 };

function problem(text: string) {
  return { severity: 'error', code: 'HR_CONFIG_SYNTAX', path: text, message: text } as const;
}
