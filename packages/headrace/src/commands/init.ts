import { writeFileSync } from 'node:fs';
import { extname } from 'node:path';
import { CommandError, EXIT } from '../process/exit-code.ts';

const FIRST_CONFIG = `# A config of Headrace, in HOCON: JSON with comments, fewer quotes, and \${substitutions}.
#
#   headrace validate FILE     finds everything wrong with it
#   headrace preview FILE      shows what the pipeline makes of the first documents
#   headrace run FILE          runs it
#   headrace components        lists what can be used here

# Where the documents go. The environment variable OUT, when there is one, wins.
out = documents.jsonl
out = \${?OUT}

# Connectors read sources in order and send documents to pipelines.
connectors: [
  {
    class: SequenceConnector     # makes documents out of nothing; for a file try CSVConnector
    name: numbers
    pipeline: first
    numDocs: 10
  }
]

# A pipeline is a chain of stages. Each stage changes the document that comes along.
pipelines: [
  {
    name: first
    stages: [
      {
        class: SetStaticValues
        staticValues { source: numbers }
      }
      {
        class: Concatenate
        dest: title
        formatString: "Document {id}"
      }
      {
        class: Timestamp
        destField: indexed_at
      }
    ]
  }
]

# The indexer writes what comes out of the pipelines: here to a file, as JSON lines.
indexer { type: JSONLines }
jsonl { path: \${out} }
`;

/** `headrace init [FILE]`: writes an example config. */
export async function init([file = 'headrace.conf']: readonly (string | undefined)[]): Promise<number> {
  if (extname(file) === '.json') {
    throw new CommandError(
      `${file} was not written: the example config is HOCON with comments. Use a name that ends with .conf.`,
    );
  }
  try {
    writeFileSync(file, FIRST_CONFIG.replaceAll('FILE', file), { flag: 'wx' });
  } catch (error) {
    const exists = (error as NodeJS.ErrnoException).code === 'EEXIST';
    const why = exists ? 'it exists already. Give another name.' : (error as Error).message;
    throw new CommandError(`${file} was not written: ${why}`);
  }
  console.log(`${file} is written. Try: headrace run ${file}`);
  return EXIT.ok;
}
