import { describe, expect, it } from 'vitest';
import { readClassComments } from './class-comment.ts';

const typical = `
/** Not of a class. */
const x = 1;

/**
 * Splits values at a &lt;delimiter&gt; &amp; keeps <b>their</b> order,
 * over two lines.
 * <p>
 * A second paragraph with {@code code}.
 * <p>
 * <pre>
 * splitter { delimiter: "&lt;p&gt;" }
 *   inputField: a
 * </pre>
 * <p>
 * Config Parameters -
 * <ul>
 *   <li>inputField (String, Required) : The field to split.</li>
 *   <li>mapping (Map&lt;String, String&gt;, Optional) : What goes
 *   where: all of it.</li>
 *   <li>outer.inner (List<String>, Optional) : A nested one.
 *   <li>this is not a parameter</li>
 * </ul>
 */
export class SplitFieldValues extends Stage {}

export class Bare extends Stage {}

/** Only prose. */
export abstract class Prose {}

/**
 * Config Parameters -
 * <ul>
 *   <li>only (String, Required) : Parameters.</li>
 * </ul>
 */
export class OnlyParameters {}
`;

describe('readClassComments', () => {
  const comments = readClassComments(typical);

  it('reads prose and parameters, without markup', () => {
    expect(comments.get('SplitFieldValues')).toEqual({
      description:
        'Splits values at a <delimiter> & keeps their order, over two lines.\n\nA second paragraph with code.\n\n    splitter { delimiter: "<p>" }\n      inputField: a',
      parameters: {
        inputField: 'The field to split.',
        mapping: 'What goes where: all of it.',
        'outer.inner': 'A nested one.',
      },
    });
  });

  it('gives nothing for a class without a comment, and no parameters where there are none', () => {
    expect([...comments.keys()]).toEqual(['SplitFieldValues', 'Prose', 'OnlyParameters']);
    expect(comments.get('Prose')).toEqual({ description: 'Only prose.', parameters: {} });
    expect(comments.get('OnlyParameters')).toEqual({ description: '', parameters: { only: 'Parameters.' } });
  });

  it('finds the class behind decorators and remarks', () => {
    const source = '/** It. */\n// biome-ignore lint/x/y: why\n@frozen\nexport class A {}';
    expect(readClassComments(source).get('A')?.description).toBe('It.');
  });

  it('survives anything', () => {
    expect(readClassComments('').size).toBe(0);
    expect(readClassComments('/** never closed').size).toBe(0);
    expect(readClassComments('/** <li>( : </li> */ export class A {}').get('A')?.parameters).toEqual({});
    expect(readClassComments(`${'/** '.repeat(3000)}*/ export class A {}`).has('A')).toBe(true);
  });
});
