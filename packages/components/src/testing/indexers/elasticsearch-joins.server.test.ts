import { describeWithOwnServer } from '@headrace/testing/real-server';
import { afterAll, expect, it } from 'vitest';
import { BulkEngine } from './bulk-engine.ts';
import { describeDeletesByField } from './delete-by-field-conformance.ts';
import { byId, EngineRuns, outcome } from './engine-runs.ts';
import { describeFamilies } from './family-conformance.ts';

// The newer versions that are available for tests lack joins and deletes by query.
await describeWithOwnServer(
  'elasticsearch',
  (server) => {
    const url = () => server.url;
    const engine = new BulkEngine('Elasticsearch', url);
    const runs = new EngineRuns(engine);
    afterAll(() => runs.close());
    describeDeletesByField(engine, url);
    describeFamilies(engine, url);

    it('joins children to their parents', async () => {
      const target = await engine.create({ relation: { type: 'join', relations: { question: 'answer' } } }, 3);
      const questions = Array.from({ length: 5 }, (_, i) => ({ id: `q${i}` }));
      const parents = 'join { joinFieldName: relation, parentName: question }';
      expect(outcome(await runs.send(url(), target, questions, '', parents)).succeeded).toBe(5);
      const answers = Array.from({ length: 10 }, (_, i) => ({ id: `a${i}`, of: `q${i % 4}` }));
      const children = 'join { joinFieldName: relation, isChild: true, childName: answer, parentDocumentIdSource: of }';
      const sent = [...answers, { id: 'stray' }, { id: 'twice', of: 'q0', relation: 'question' }];
      expect(outcome(await runs.send(url(), target, sent, '', children))).toMatchObject({
        succeeded: 10,
        failed: {
          stray: 'The field of, which contains the id of the parent, is missing',
          twice: 'Document already has join field: relation',
        },
      });
      expect(await engine.contents(target)).toEqual(
        byId([
          ...questions.map((question) => ({ ...question, relation: 'question' })),
          ...answers.map((answer) => ({ ...answer, relation: { name: 'answer', parent: answer.of } })),
        ]),
      );
      const query = { has_child: { type: 'answer', query: { match_all: {} } } };
      const answered = await engine.hits(target, query);
      expect(answered.map(({ _id }) => _id).sort()).toEqual(['q0', 'q1', 'q2', 'q3']);
    });
  },
  { ELASTICSEARCH_VERSION: '7.17.28' },
);
