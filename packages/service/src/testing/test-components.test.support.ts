// biome-ignore-all lint/complexity/noStaticOnlyClass: components are classes, and these tests only describe them.

const parametersOf = (properties: object, required: string[] = []) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

/** A connector that reads files. */
export class Files {
  static kind = 'connector';
  static javaClass = 'com.example.Files';
  static parameters = parametersOf({ password: { type: 'string' } });
}

export class Upper {
  static kind = 'stage';
  static description = 'A stage that makes a field upper case.';
  static parameters = parametersOf(
    {
      source: { type: 'string', description: 'The field.' },
      times: { type: 'integer', minimum: 1, default: 1 },
    },
    ['source'],
  );
  static examples = [{ parameters: { source: 'a' } }];
}

/** An indexer that writes nothing. */
export class Nowhere {
  static kind = 'indexer';
  static type = 'Nowhere';
  static block = 'nowhere';
  static parameters = parametersOf({});
}
