import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Document, Stage, Type } from '@headrace/engine';
import { type ConditionConfig, makeStage, runPipeline, toDocument } from '@headrace/engine/testing';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { ApplyRegex } from './apply-regex.ts';
import { Concatenate } from './concatenate.ts';
import { Contains } from './contains.ts';
import { CopyFields } from './copy-fields.ts';
import { CreateStaticTeaser } from './create-static-teaser.ts';
import { DeleteFields } from './delete-fields.ts';
import { DictionaryLookup } from './dictionary-lookup.ts';
import { DropDocument } from './drop-document.ts';
import { DropValues } from './drop-values.ts';
import { ExtractFirstCharacter } from './extract-first-character.ts';
import { FormatDate } from './format-date.ts';
import { Hash } from './hash.ts';
import { HashFieldValueToBucket } from './hash-field-value-to-bucket.ts';
import { Length } from './length.ts';
import { NormalizeFieldNames } from './normalize-field-names.ts';
import { NormalizeText } from './normalize-text.ts';
import { ParseDate } from './parse-date.ts';
import { RemoveDiacritics } from './remove-diacritics.ts';
import { RemoveDuplicateValues } from './remove-duplicate-values.ts';
import { RemoveEmptyFields } from './remove-empty-fields.ts';
import { RenameFields } from './rename-fields.ts';
import { ReplacePatterns } from './replace-patterns.ts';
import { SetStaticValues } from './set-static-values.ts';
import { SkipDocument } from './skip-document.ts';
import { SplitFieldValues } from './split-field-values.ts';
import { TrimWhitespace } from './trim-whitespace.ts';
import { TruncateField } from './truncate-field.ts';

const folder = mkdtempSync(join(tmpdir(), 'tables-'));
afterAll(() => rmSync(folder, { recursive: true }));
const pairsPath = join(folder, 'pairs.csv');
const wordsPath = join(folder, 'words.csv');
writeFileSync(pairsPath, 'x,y\n1,one,first\nÉ;;,e\n');
writeFileSync(wordsPath, 'x\n1\n\n');

type Class = Parameters<typeof makeStage>[0];

const field = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'e e');
const path = fc.constantFrom('a', 'b', 'c', 'e', 'b.k', 'c.k.l', 'd[1]');
const fields = fc.uniqueArray(field, { minLength: 1, maxLength: 3 });
const updateMode = fc.constantFrom('overwrite', 'append', 'skip');
const use = (stage: Class, params: fc.Arbitrary<Record<string, unknown>>) =>
  params.map((values) => ({ stage, params: values }));
const pairs = (values: Record<string, unknown>) =>
  fc
    .record({ source: fields, dest: field, updateMode, target: fc.constantFrom('one', 'in place', 'crossed') })
    .map(({ source, dest, target, updateMode }) => {
      const dests = { one: [dest], 'in place': source, crossed: [...source.slice(1), dest] };
      return { ...values, updateMode, source, dest: dests[target as keyof typeof dests] };
    });

/** Processes documents one by one. It drops, skips and fails some documents, and emits children of others. */
class ByText extends Stage {
  static override readonly parameters = Type.Object({});

  override process(document: Document): Document[] | undefined {
    const text = document.text('b');
    if (text === 'drop') document.drop();
    else if (text === 'skip') document.skip();
    else if (text === 'fail') throw new Error('it fails');
    else if (text === 'child') return [toDocument({ id: `${document.id}-child`, a: ' A1;b2 ', c: 'x' })];
    else if (text === 'family') {
      // A child with one of the special texts is skipped, dropped, fails or has children in the next such stage.
      const special = (name: string, at: number) =>
        toDocument({ id: `${document.id}-${at}`, a: 'x', b: document.text(name) ?? null });
      return ['a', 'c', 'd'].map(special);
    } else document.set('seen', document.length('a'));
    return undefined;
  }
}

/** Processes documents one by one. It changes fields in every way that a document offers, and keeps the documents. */
class ByField extends Stage {
  static override readonly parameters = Type.Object({
    changes: Type.Array(Type.Tuple([Type.String(), Type.String(), Type.String()])),
  });
  readonly #kept: Document[] = [];

  override process(document: Document): void {
    const { changes } = this.params as { changes: [kind: string, field: string, to: string][] };
    for (const [kind, field, to] of changes) {
      const value = document.get(field);
      if (kind === 'set') document.set(to, document.text(field) ?? 'none');
      else if (kind === 'append') document.setOrAdd(to, field);
      else if (kind === 'remove') document.remove(field);
      else if (kind === 'rename') document.rename(field, to, 'overwrite');
      else if (kind === 'list' && Array.isArray(value)) value.push(to);
      else if (kind === 'count') document.set(to, document.fieldValues.length);
      else if (kind === 'copy') document.setOrAddAll(document.clone());
    }
    this.#kept.push(document);
  }
}

/** Generates stages with and without support for tables. Their parameters use the same fields. */
const stage = fc.oneof(
  use(
    ApplyRegex,
    fc
      .record({
        regex: fc.constantFrom('(\\w)\\d', '\\d', '^x', '', 'X|(é)', '.(?=b)', '\\s*$'),
        ignoreCase: fc.boolean(),
        multiline: fc.boolean(),
      })
      .chain(pairs),
  ),
  use(
    Concatenate,
    fc.record({
      dest: field,
      formatString: fc.constantFrom('{a}-{b}', '{c:-none}!', '${d}', '{b}{nothing}{b}', 'constant'),
      defaultInputs: fc.constantFrom({}, { b: 'default', nothing: '' }),
      updateMode,
    }),
  ),
  use(CopyFields, fc.record({ fieldMapping: fc.dictionary(field, field, { minKeys: 1, maxKeys: 2 }), updateMode })),
  use(DeleteFields, fc.record({ fields })),
  use(
    NormalizeText,
    fc.constantFrom('lowercase', 'uppercase', 'title_case', 'sentence_case').chain((mode) => pairs({ mode })),
  ),
  use(RenameFields, fc.record({ fieldMapping: fc.dictionary(field, field, { minKeys: 1, maxKeys: 2 }), updateMode })),
  use(
    SetStaticValues,
    fc.record({
      staticValues: fc.dictionary(field, fc.constantFrom('x', 7, null, ['p', 'q'], { k: 'v' }), { minKeys: 1 }),
      updateMode,
    }),
  ),
  use(
    SplitFieldValues,
    fc.record({
      inputField: field,
      outputField: field,
      delimiter: fc.constantFrom(
        ';',
        '|',
        '\\|',
        '',
        ' ',
        ', ',
        '\\s*;\\s*',
        '[;b]',
        '(;)',
        '.',
        '\\Q|\\E',
        '(?=b)',
        '$',
      ),
      trimWhitespace: fc.boolean(),
    }),
  ),
  use(
    Contains,
    fc.record({
      contains: fc.constantFrom(['x', '1'], ['A1', 'é']),
      fields,
      output: field,
      value: fc.constantFrom('found', 'x'),
      ignoreCase: fc.boolean(),
    }),
  ),
  use(
    CopyFields,
    fc.record({
      fieldMapping: fc.dictionary(path, path, { minKeys: 1, maxKeys: 2 }),
      isNested: fc.constant(true),
    }),
  ),
  use(
    DictionaryLookup,
    fc
      .constantFrom({ usePayloads: true }, { usePayloads: false, ignoreCase: true })
      .chain((values) => pairs({ ...values, dictPath: pairsPath })),
  ),
  use(
    DictionaryLookup,
    fc.record({
      source: fields,
      dest: fields.map(([first]) => [first]),
      dictPath: fc.constant(wordsPath),
      setOnly: fc.constant(true),
      useAnyMatch: fc.boolean(),
      ignoreMissingSource: fc.boolean(),
    }),
  ),
  use(NormalizeFieldNames, fc.constantFrom({}, { delimiter: '', nonAlphanumReplacement: 'x' }, { nested: true })),
  use(TrimWhitespace, fc.record({ fields, unicode: fc.boolean() })),
  use(
    ReplacePatterns,
    fc
      .constantFrom(
        { regex: ['\\d'], replacement: '#' },
        { regex: ['(\\w)(\\d)', 'b'], replacement: '$2$1' },
        { regex: ['X', 'É'], replacement: '', ignoreCase: true },
        { regex: ['|', '.'], replacement: '$1', literal: true },
        { regex: ['x*', '^'], replacement: '-' },
        { regex: [';+'], replacementField: 'd' },
        { regex: ['1'], replacementField: 'd', replacement: '<$0>' },
      )
      .chain(pairs),
  ),
  use(RemoveDiacritics, fc.record({ source: field, destination: field })),
  use(TruncateField, fc.record({ source: field, destination: field, maxSize: fc.constantFrom(0, 1, 2) })),
  use(Length, fc.record({ fieldMapping: fc.dictionary(field, field, { minKeys: 1, maxKeys: 2 }) })),
  use(Hash, fc.record({ fields, dest: field })),
  use(HashFieldValueToBucket, fc.record({ fieldName: field, dest: field, buckets: fc.constant(['A', 'B']) })),
  use(CreateStaticTeaser, pairs({ maxLength: 3 })),
  use(
    ExtractFirstCharacter,
    fc.record({
      fieldMapping: fc.dictionary(field, field, { minKeys: 1, maxKeys: 2 }),
      replacement: fc.constantFrom('nonalpha', 'SKIP', ''),
    }),
  ),
  use(DropValues, fc.record({ source: fields, values: fc.constantFrom(['x', '1'], ['']) })),
  use(
    ParseDate,
    fc
      .constantFrom(
        { formatStrs: ['yyyy-MM-dd'], timeZoneId: 'UTC' },
        { formatStrs: ['HH:mm', "yyyy-MM-dd'T'HH:mm:ss", 'yyyy-MM-dd'], timeZoneId: 'America/New_York' },
        { formatters: [{ class: 'UnixTimestampFormatter' }] },
      )
      .chain(pairs),
  ),
  use(FormatDate, pairs({ formatStr: 'yyyy' })),
  use(RemoveEmptyFields, fc.constant({})),
  use(RemoveDuplicateValues, fc.record({ fieldMapping: fc.dictionary(field, field, { minKeys: 1, maxKeys: 2 }) })),
  use(DropDocument, fc.constant({})),
  use(SkipDocument, fc.constant({})),
  use(ByText, fc.constant({})),
  {
    weight: 4,
    arbitrary: use(
      ByField,
      fc.record({
        changes: fc.array(
          fc.tuple(
            fc.constantFrom('set', 'append', 'remove', 'rename', 'list', 'count', 'copy'),
            field,
            fc.constantFrom('a', 'b', 'c', 'new'),
          ),
          { minLength: 1, maxLength: 3 },
        ),
      }),
    ),
  },
);

const present: fc.Arbitrary<ConditionConfig> = fc.record({
  fields,
  operator: fc.constantFrom('must', 'must_not'),
  values: fc.option(fc.constantFrom(['x'], ['1', 'drop'], ['A1;b2', null]), { nil: undefined }),
});
const compared: fc.Arbitrary<ConditionConfig> = fc.record({
  fields,
  operator: fc.constantFrom('<', '<=', '>', '>='),
  values: fc.constantFrom(['1'], ['2024-05-06'], ['x']),
});
const matched: fc.Arbitrary<ConditionConfig> = fc.record({
  fields,
  operator: fc.constant('matches' as const),
  values: fc.constantFrom(['^.$'], ['\\d', '^$']),
});
const single = fc.oneof({ weight: 2, arbitrary: present }, compared, matched);
const listed: fc.Arbitrary<ConditionConfig> = fc.record({
  group: fc.constantFrom('and', 'or'),
  conditions: fc.array(single, { minLength: 1, maxLength: 2 }),
});
const denied: fc.Arbitrary<ConditionConfig> = fc.record({
  group: fc.constant('not' as const),
  conditions: fc.oneof(single, listed).map((condition) => [condition]),
});
const condition = fc.oneof({ weight: 3, arbitrary: single }, listed, denied);
const conditions = fc.oneof(
  { weight: 2, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: fc.array(condition, { minLength: 1, maxLength: 2 }) },
);
const policy = fc.constantFrom('all' as const, 'any' as const);

const plain = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(' A1;b2 ', 'x', '', '1', 'É;;', ' ;', '2024-05-06', 'b|b, 😀😀', 'Ab\nx') },
  { weight: 1, arbitrary: fc.constantFrom('drop', 'skip', 'fail', 'child', 'family') },
  { weight: 1, arbitrary: fc.constantFrom(1, 1.5, true, null) },
);
const value = fc.oneof(
  { weight: 8, arbitrary: plain },
  { weight: 1, arbitrary: fc.array(plain, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.constant({ k: ' v ' }) },
);
const optional = fc.oneof({ weight: 4, arbitrary: value }, { weight: 1, arbitrary: fc.constant(undefined) });
/** Generates documents with the same fields in the same order, and some without some of the fields. */
const documents = fc
  .uniqueArray(field, { minLength: 1 })
  .chain((names) =>
    fc
      .array(fc.tuple(...names.map(() => optional)), { minLength: 1, maxLength: 6 })
      .map((rows) => rows.map((values) => Object.fromEntries(names.map((name, i) => [name, values[i]])))),
  );

it('processes a table with the same result as its documents one by one', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(documents, { minLength: 2, maxLength: 4 }),
      fc.array(fc.tuple(stage, conditions, policy), { maxLength: 5 }),
      async (batches, stages) => {
        const make = () =>
          stages.map(([{ stage, params }, conditions, conditionPolicy]) => ({
            stage: makeStage(stage, params),
            conditions,
            conditionPolicy,
          }));
        const inputs = () =>
          batches.map((rows, batch) => rows.map((fields, row) => toDocument({ id: `${batch}-${row}`, ...fields })));
        const [tables, alone] = [await runPipeline(make(), inputs(), true), await runPipeline(make(), inputs(), false)];
        expect(tables).toEqual(alone);
      },
    ),
    // CI tries more pipelines: this test takes seconds of the loop of a developer.
    { numRuns: process.env['CI'] === undefined ? 100 : 500 },
  );
});
