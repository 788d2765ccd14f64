import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runSummary } from '../run/run-summary.ts';
import { escapeControls } from './plain-text.ts';
import { formatProblem } from './problem.ts';

/** Matches what a terminal may obey: controls of ASCII, Latin-1 and Unicode. */
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;
const foreign = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\n', '\r', '\u001b', '\u007f', '\u009b', '\u2028', '\u202e', '\u200e', '\u200f', '\u061c', '\\'),
    fc.string(),
  ),
});

describe('escapeControls', () => {
  it('escapes every control character, and leaves other texts unchanged', () => {
    expect(escapeControls('\u001b]0;x\u0007\u009b2J\r\nline\u2028\u202eabc\t\u007f')).toBe(
      '\\u001b]0;x\\u0007\\u009b2J\\r\\nline\\u2028\\u202eabc\\t\\u007f',
    );
    expect(escapeControls('a\u200eb\u200fc\u061cd')).toBe('a\\u200eb\\u200fc\\u061cd');
    expect(escapeControls('Zürich, 東京, مرحبا, 👩‍🚀, C:\\new')).toBe('Zürich, 東京, مرحبا, 👩‍🚀, C:\\new');
    fc.assert(
      fc.property(foreign, (text) => {
        const escaped = escapeControls(text);
        expect(escaped).not.toMatch(CONTROLS);
        expect(escapeControls(escaped)).toBe(escaped);
      }),
    );
  });

  it('keeps the value of JSON in one line', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'binary' }), foreign, (json, text) => {
        expect(JSON.parse(escapeControls(json))).toEqual(JSON.parse(json));
        expect(JSON.parse(escapeControls(JSON.stringify({ [text]: text })))).toEqual({ [text]: text });
      }),
    );
  });
});

describe('texts with foreign names and values', () => {
  it('are one line as a problem', () => {
    fc.assert(
      fc.property(foreign, (text) => {
        const problem = { severity: 'error', code: 'HR_CONFIG_SYNTAX', path: text, message: text, hint: text } as const;
        expect(formatProblem({ ...problem, component: text }, text)).not.toMatch(CONTROLS);
      }),
    );
  });

  it('add no line to the summary of a run', () => {
    const counts = { published: 1, created: 0, succeeded: 0, failed: 1, dropped: 0 };
    const summary = (text: string) =>
      runSummary(
        'FAILED',
        [
          { name: text, status: 'failed', hasPipeline: true, counts, received: 0, seconds: 1, error: { text } },
          { name: text, status: 'complete', hasPipeline: true, counts, received: 0, seconds: 1, message: text },
        ] as Parameters<typeof runSummary>[1],
        [{ severity: 'error', code: 'HR_CONFIG_SYNTAX', path: '', message: text }],
        { checks: [{ name: text, outcome: 'failed', found: text, expected: text }] as never },
      ).split('\n');
    fc.assert(
      fc.property(foreign, (text) => {
        const lines = summary(text);
        expect(lines).toHaveLength(summary('a').length);
        expect(lines.join('')).not.toMatch(CONTROLS);
      }),
    );
  });
});
