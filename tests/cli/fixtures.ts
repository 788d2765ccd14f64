/** A module of components that misbehave, for configs in a folder that can import `headrace`. */
export const MISBEHAVING = `import { Connector, Document, Stage, Type } from 'headrace';

/** Fails on the documents with these ids. */
export class FailOn extends Stage {
  static parameters = Type.Object({ ids: Type.Array(Type.String()) });
  process(document) { if (this.params.ids.includes(document.id)) throw new Error('I do not like ' + document.id); }
}

/** Publishes documents until it is stopped. */
export class Endless extends Connector {
  static parameters = Type.Object({});
  async execute(publisher) {
    this.context.log.info('The source is open');
    for (let i = 0; !publisher.signal.aborted; i++) {
      await publisher.publish(Document.create('doc-' + i));
      if (i % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }
}

/** Ignores the request to stop. */
export class Deaf extends Connector {
  static parameters = Type.Object({});
  execute() {
    this.context.log.info('The source is open');
    return new Promise(() => setInterval(() => undefined, 1000));
  }
}

/** Fails immediately. */
export class Broken extends Connector {
  static parameters = Type.Object({});
  execute() { throw new Error('the source is on fire'); }
}
`;

/** Returns the files of a folder with a config that feeds one pipeline and writes JSON lines to `out.jsonl`. */
export function configFiles(connector: string, stages = ''): Record<string, string> {
  return {
    'package.json': '{"type":"module"}',
    'misbehaving.js': MISBEHAVING,
    'a.conf': `connectors: [{ name: source, pipeline: main, ${connector} }]
pipelines: [{ name: main, stages: [ ${stages} ] }]
indexer { type: JSONLines }
jsonl { path: out.jsonl }
`,
  };
}

export const SEQUENCE = 'class: SequenceConnector, numDocs: 5';
