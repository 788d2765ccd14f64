import { writeFileSync } from 'node:fs';
import { extname } from 'node:path';
import { CommandError, EXIT } from '../process/exit-code.ts';
import { writeLines } from '../process/output.ts';

const FIRST_CONFIG = `# A config of Headrace, in HOCON: JSON with comments, fewer quotes, and \${substitutions}.
#
#   headrace validate FILE     finds everything wrong with it
#   headrace preview FILE      shows the first documents after the pipeline
#   headrace run FILE          runs it
#   headrace components        lists all connectors, stages and indexers

# The output file. The environment variable OUT replaces it if it is set.
out = documents.jsonl
out = \${?OUT}

# Connectors read sources in order and send documents to pipelines.
connectors: [
  {
    class: SequenceConnector     # creates numbered documents; for a file use CSVConnector
    name: numbers
    pipeline: first
    numDocs: 10
  }
]

# A pipeline is a chain of stages. Each stage changes each document.
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

# The indexer writes the documents after the pipelines: here to a file, as JSON lines.
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
  writeLines('stdout', [`${file} is written. Try: headrace run ${file}`]);
  return EXIT.ok;
}
