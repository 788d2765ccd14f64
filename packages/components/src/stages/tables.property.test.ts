import { type Document, DocumentTable, type Value } from '@headrace/engine';
import { makeStage, toDocument } from '@headrace/engine/testing';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ApplyRegex } from './apply-regex.ts';
import { Concatenate } from './concatenate.ts';
import { CopyFields } from './copy-fields.ts';
import { DeleteFields } from './delete-fields.ts';
import { NormalizeText } from './normalize-text.ts';
import { RenameFields } from './rename-fields.ts';
import { SetStaticValues } from './set-static-values.ts';
import { SplitFieldValues } from './split-field-values.ts';
import { TrimWhitespace } from './trim-whitespace.ts';

type Class = Parameters<typeof makeStage>[0];

const field = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const fields = fc.uniqueArray(field, { minLength: 1, maxLength: 3 });
const updateMode = fc.constantFrom('overwrite', 'append', 'skip');
const use = (stage: Class, params: fc.Arbitrary<Record<string, unknown>>) =>
  params.map((values) => ({ stage, params: values }));
const pairs = (values: Record<string, unknown>) =>
  fc.record({ source: fields, dest: field, updateMode }).map(({ source, dest, ...rest }) => ({
    ...values,
    ...rest,
    source,
    dest: [dest],
  }));

/** Every stage that takes tables, with parameters that get in each other's way. */
const stage = fc.oneof(
  use(
    ApplyRegex,
    fc.constantFrom('(\\w)\\d', '\\d', '^x', '').chain((regex) => pairs({ regex })),
  ),
  use(Concatenate, fc.record({ dest: field, formatString: fc.constantFrom('{a}-{b}', '{c:-none}!'), updateMode })),
  use(CopyFields, fc.record({ fieldMapping: fc.dictionary(field, field, { minKeys: 1, maxKeys: 2 }), updateMode })),
  use(DeleteFields, fc.record({ fields })),
  use(
    NormalizeText,
    fc.constantFrom('lowercase', 'uppercase').chain((mode) => pairs({ mode })),
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
    fc.record({ inputField: field, outputField: field, delimiter: fc.constant(';'), trimWhitespace: fc.boolean() }),
  ),
  use(TrimWhitespace, fc.record({ fields })),
);

const plain = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(' A1;b2 ', 'x', '', '1', 'É;;', ' ;') },
  { weight: 1, arbitrary: fc.constantFrom(1, 1.5, true, null) },
);
const value = fc.oneof(
  { weight: 8, arbitrary: plain },
  { weight: 1, arbitrary: fc.array(plain, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.constant({ k: ' v ' }) },
);
const documents = fc
  .uniqueArray(field, { minLength: 1 })
  .chain((names) =>
    fc
      .array(fc.tuple(...names.map(() => value)), { minLength: 1, maxLength: 4 })
      .map((rows) =>
        rows.map((values, row) => ({ id: `${row}`, ...Object.fromEntries(names.map((name, i) => [name, values[i]])) })),
      ),
  );

it('a stage does the same to a table as to each of its documents, whatever came before', () => {
  fc.assert(
    fc.property(documents, fc.array(stage, { minLength: 1, maxLength: 5 }), (inputs, stages) => {
      const make = () => stages.map(({ stage, params }) => makeStage(stage, params));
      const alone = inputs.map(toDocument);
      for (const document of alone) processFrom(document, make(), 0);

      const table = tableOf(inputs.map(toDocument));
      const made = make();
      let taken = 0;
      for (; taken < made.length; taken++) {
        const before = table.save();
        let done = false;
        try {
          done = made[taken]?.processTable?.(table) ?? false;
        } catch {
          // Declined.
        }
        if (done) continue;
        table.restore(before);
        break;
      }
      const together = inputs.map((_, row) => table.document(row));
      for (const document of together) processFrom(document, made, taken);
      expect(together.map((document) => document.toJson())).toEqual(alone.map((document) => document.toJson()));
    }),
    { numRuns: 20_000 },
  );
});

function tableOf(made: readonly Document[]): DocumentTable {
  const names = made[0]?.fieldNames ?? [];
  const columns = names.map((name) => made.map((document) => document.get(name) as Value));
  return new DocumentTable(names, columns, made.length);
}

function processFrom(document: Document, stages: readonly ReturnType<typeof makeStage>[], from: number): void {
  for (const next of stages.slice(from)) next.process(document);
}
