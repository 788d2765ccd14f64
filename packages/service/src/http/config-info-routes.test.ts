import { describe, expect, it } from 'vitest';
import { testService } from '../testing/test-service.test.support.ts';

describe('GET /v1/config-info', () => {
  it('lists the components, also custom ones, in the format of the reference', async () => {
    const service = await testService();
    const [stage] = (await service.ask('/v1/config-info/stage-list')).json as [{ fields: { name: string }[] }];
    expect(stage).toMatchObject({
      class: 'Upper',
      description: 'A stage that makes a field upper case.',
      kind: 'stage',
      package: expect.any(String),
      aliases: [],
      examples: [{ parameters: { source: 'a' } }],
    });
    const fields = Object.fromEntries(stage.fields.map((field) => [field.name, field]));
    expect(fields['source']).toEqual({
      name: 'source',
      required: true,
      type: { type: 'STRING' },
      description: 'The field.',
    });
    expect(fields['times']).toEqual({
      name: 'times',
      required: false,
      type: { type: 'NUMBER' },
      default: 1,
      minimum: 1,
    });
    const [connector] = (await service.ask('/v1/config-info/connector-list')).json as [object];
    expect(connector).toMatchObject({ class: 'Files', aliases: ['com.example.Files'] });
    const [indexer] = (await service.ask('/v1/config-info/indexer-list')).json as [object];
    expect(indexer).toMatchObject({ class: 'Nowhere', type: 'Nowhere', block: 'nowhere' });
    expect(connector).not.toHaveProperty('block');
  });
});

describe('GET /v1/config-info/schema', () => {
  it('returns the JSON Schema of a config with the available components', async () => {
    const service = await testService();
    const answer = await service.ask('/v1/config-info/schema');
    const schema = answer.json as { $schema: string; $defs: Record<string, { properties: object }> };
    expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
    expect(schema.$defs['stage.Upper']?.properties).toMatchObject({ source: { description: 'The field.' } });
  });

  it('answers 304 if the client already has the schema', async () => {
    const service = await testService();
    const etag = (await service.ask('/v1/config-info/schema')).headers.get('etag') as string;
    const again = await service.ask('/v1/config-info/schema', { headers: { 'if-none-match': etag } });
    expect([again.status, again.text]).toEqual([304, '']);
    const other = await service.ask('/v1/config-info/schema', { headers: { 'if-none-match': '"another"' } });
    expect(other.status).toBe(200);
  });
});
