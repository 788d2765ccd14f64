import { type CatalogEntry, olderNamesOf, Type } from '@headrace/engine';

/** The schema of a component in the lists of `config-info`. */
export const ComponentAnswer = Type.Object(
  {
    class: Type.String({ description: 'The short name' }),
    fields: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          required: Type.Boolean(),
          type: Type.Object(
            {
              type: Type.Union(['STRING', 'NUMBER', 'BOOLEAN', 'OBJECT'].map((name) => Type.Literal(name))),
              child: Type.Optional(Type.Object({ fields: Type.Array(Type.Unknown()) })),
              typeReference: Type.Optional(Type.String({ description: 'A Java type' })),
            },
            { description: 'The type in the format of the reference' },
          ),
          description: Type.Optional(Type.String()),
        },
        {
          additionalProperties: true,
          description: 'Also `default`, `enum`, `minimum` and similar properties, if they exist',
        },
      ),
    ),
    description: Type.Optional(Type.String()),
    aliases: Type.Array(Type.String({ description: 'Other names, such as the Java class' })),
    kind: Type.Union(['connector', 'stage', 'indexer'].map((name) => Type.Literal(name))),
    package: Type.String(),
    type: Type.Optional(Type.String({ description: 'Of an indexer: the `indexer.type` that selects it' })),
    block: Type.Optional(Type.String({ description: 'Of an indexer: the block of the config with its parameters' })),
    examples: Type.Optional(Type.Array(Type.Unknown())),
    olderNames: Type.Optional(
      Type.Array(
        Type.Object({
          name: Type.String(),
          current: Type.Optional(Type.String({ description: 'Absent: the name has no effect any more' })),
          last: Type.String({ description: 'The last release of Lucille with this name' }),
        }),
        { description: 'Names of parameters in older releases of Lucille, which are read with a warning' },
      ),
    ),
  },
  { $id: 'Component' },
);

export function componentAnswer({ name, kind, package: from, ...entry }: CatalogEntry) {
  const { fields, description, aliases, type, block, examples } = entry;
  const older = olderNamesOf(kind, name, block).map((each) => ({ name: each.from, current: each.to, last: each.last }));
  const olderNames = older.length === 0 ? undefined : older;
  return { class: name, fields, description, aliases, kind, package: from, type, block, examples, olderNames };
}
