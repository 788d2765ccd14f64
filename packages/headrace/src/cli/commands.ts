import { type CommandSpec, command } from './command.ts';

const config = {
  name: 'CONFIG',
  required: true,
  description: 'The config: .conf (HOCON) or .json; "-" for HOCON from standard input.',
  completes: 'file',
} as const;

/** The argument of commands that accept several configs. */
const configs = {
  ...config,
  several: true,
  description: `${config.description} Several configs are processed one at a time.`,
} as const;

/** The options of all commands that read a config. */
const configOptions = {
  set: {
    kind: 'list',
    short: 's',
    value: 'KEY=VALUE',
    description: 'Override a value of the config: -s indexer.type=CSV.',
  },
} as const;

const componentOptions = {
  components: {
    kind: 'list',
    value: 'MODULE',
    description: 'Also load the connectors, stages and indexers of a module: a path or a package.',
    completes: 'file',
  },
} as const;

const topic = { name: 'TOPIC', required: true, description: 'The dead-letter topic: GROUP_PIPELINE_fail.' } as const;

const kafkaConfig = {
  config: {
    kind: 'text',
    value: 'CONFIG',
    description: 'The config, whose kafka block says where the topic is.',
    completes: 'file',
  },
} as const;

const healthOptions = {
  healthPort: {
    kind: 'port',
    value: 'PORT',
    description: 'Serve /livez, /readyz and /metrics (Prometheus) on this port.',
  },
} as const;

/** Options of the processes of distributed runs. */
const roleOptions = {
  pipeline: {
    kind: 'text',
    value: 'NAME',
    description: 'The pipeline. May be missing if the config has only one.',
  },
  threads: { kind: 'count', value: 'N', description: 'How many threads run the stages. Sets worker.threads.' },
  ...healthOptions,
} as const;

const explained: readonly CommandSpec[] = [
  command({
    name: 'serve',
    summary: 'Start the HTTP service.',
    details: 'Without a file, it listens on port 8080 of 127.0.0.1, needs no login, and stores data in ./.headrace.',
    examples: ['headrace serve', 'headrace serve service.yml'],
    arguments: [{ name: 'SERVICE', required: false, description: 'The service file (YAML).', completes: 'file' }],
    options: {},
    load: async () => {
      // Before the code of the service is loaded.
      (await import('../process/service-process.ts')).becomeService();
      return (await import('../commands/serve.ts')).serve;
    },
  }),
  command({
    name: 'run',
    summary: 'Run a config.',
    details:
      'Prints the summary on standard output. Standard error shows the progress on a terminal, and JSON logs elsewhere.\n' +
      'If an indexer writes documents to standard output, the summary goes to standard error too.\n' +
      'Exits with 0 for success (even if some documents failed), 1 for a failed run, 2 for an invalid config.\n' +
      'A run in which no document succeeded and some failed is a failed run.\n' +
      'Ctrl-C ends the run cleanly; a second Ctrl-C ends it immediately.',
    examples: ['headrace run movies.conf', 'headrace run movies.conf -s csv.path=out.csv --dry-run documents.jsonl'],
    arguments: [config],
    options: {
      ...configOptions,
      dryRun: {
        kind: 'text',
        value: 'FILE',
        description:
          'Index nothing: write the documents that would be indexed to a file, one line of JSON each: {"connector", "document"}.',
        completes: 'file',
      },
      failures: {
        kind: 'text',
        value: 'FILE',
        description: 'Write failed documents to a file during the run, one line of JSON each, at most 1000.',
        completes: 'file',
      },
      maxFailures: {
        kind: 'text',
        value: 'LIMIT',
        description:
          'Stop the run as failed if more documents fail: a number (100), or a percentage (5%). Sets runner.maxFailures.',
      },
      retry: {
        kind: 'text',
        value: 'FILE',
        description: 'Process the documents of a --failures file again, instead of executing the connectors.',
        completes: 'file',
      },
      distributed: {
        kind: 'flag',
        description: 'Publish to Kafka only: workers and indexers in other processes do the rest.',
      },
      external: {
        kind: 'flag',
        description: 'Run everything in this process, with the queues on Kafka.',
      },
      pipeline: {
        ...roleOptions.pipeline,
        description:
          'Process and index only this pipeline in this process; other processes do the others. Only with --external.',
      },
      threads: roleOptions.threads,
      healthPort: {
        ...healthOptions.healthPort,
        description: `${healthOptions.healthPort.description} Only with --distributed or --external.`,
      },
      ...componentOptions,
    },
    load: async () => (await import('../commands/run.ts')).run,
  }),
  command({
    name: 'rollback',
    summary: 'Move the alias of a config with rebuild back to the previous index.',
    details:
      'The next rebuild deletes the index that is replaced. Another rollback goes back further.\n' +
      'Exits with 1 if nothing changed, for example because no older index is kept.',
    examples: ['headrace rollback products.conf'],
    arguments: [config],
    options: { ...configOptions, ...componentOptions },
    load: async () => (await import('../commands/rollback.ts')).rollback,
  }),
  command({
    name: 'worker',
    summary: 'Run the stages of a pipeline for distributed runs.',
    details:
      'Reads documents from the source topic of the pipeline and sends them on to its dest topic, until it is stopped.\n' +
      'The first Ctrl-C, SIGTERM or SIGHUP finishes the documents in progress, the second one ends the process.',
    examples: [
      'headrace worker movies.conf',
      'headrace worker movies.conf --pipeline p1 --threads 4 --health-port 8081',
    ],
    arguments: [config],
    options: { ...configOptions, ...roleOptions, ...componentOptions },
    load: async () => (await import('../commands/role.ts')).worker,
  }),
  command({
    name: 'indexer',
    summary: 'Index the documents of distributed runs.',
    details: 'Reads processed documents from the dest topic of the pipeline and indexes them, until it is stopped.',
    examples: ['headrace indexer movies.conf', 'headrace indexer movies.conf --pipeline p1'],
    arguments: [config],
    options: { ...configOptions, ...roleOptions, ...componentOptions },
    load: async () => (await import('../commands/role.ts')).indexer,
  }),
  command({
    name: 'worker-indexer',
    summary: 'Run the stages and index, for distributed runs and streams.',
    details:
      'Reads documents from the source topic of the pipeline, processes and indexes them, until it is stopped.\n' +
      'Other programs may write to that topic: a run is not needed.',
    examples: ['headrace worker-indexer movies.conf'],
    arguments: [config],
    options: { ...configOptions, ...roleOptions, ...componentOptions },
    load: async () => (await import('../commands/role.ts')).workerIndexer,
  }),
  command({
    name: 'dead-letters',
    summary: 'List a dead-letter topic, with the reason of each message.',
    details: 'Prints a line of JSON for each message: its place, id, reason and document. Changes nothing.',
    examples: ['headrace dead-letters p1_fail --config movies.conf'],
    arguments: [topic],
    options: { ...kafkaConfig, ...configOptions },
    load: async () => (await import('../commands/dead-letters.ts')).deadLetters,
  }),
  command({
    name: 'replay',
    summary: 'Process the messages of a dead-letter topic again.',
    details:
      'Sends each message to the source topic of its pipeline, once: the next replay continues after the last message.',
    examples: ['headrace replay p1_fail --config movies.conf'],
    arguments: [topic],
    options: {
      ...kafkaConfig,
      ...configOptions,
      to: {
        kind: 'text',
        value: 'TOPIC',
        description: 'The topic to write. Defaults to the source topic of the pipeline.',
      },
    },
    load: async () => (await import('../commands/dead-letters.ts')).replay,
  }),
  command({
    name: 'validate',
    summary: 'Check configs without running them.',
    details: 'Reports all problems. Writes nothing. Exits with 2 if a config has errors.',
    examples: [
      'headrace validate movies.conf',
      'headrace validate conf/*.conf',
      'headrace validate movies.conf --json',
    ],
    arguments: [configs],
    options: {
      ...configOptions,
      ...componentOptions,
      connect: {
        kind: 'flag',
        description: 'Also check the connections to all sources and destinations. Creates nothing.',
      },
      json: {
        kind: 'flag',
        description: 'Print {"valid", "problems"} as JSON; for several configs {"valid", "configs"}.',
      },
    },
    load: async () => (await import('../commands/validate.ts')).validate,
  }),
  command({
    name: 'test',
    summary: 'Run the unit tests of configs.',
    details:
      'Sends documents through pipelines and compares the results; nothing is indexed.\n' +
      'The tests of movies.conf are under its key tests, or in the file movies.test.conf in the same directory.\n' +
      'Exits with 0 if all tests pass, 1 if one fails, 2 if a config is invalid or there are no tests.',
    examples: ['headrace test movies.conf', 'headrace test conf/*.conf --junit report.xml'],
    arguments: [configs],
    options: {
      ...configOptions,
      filter: { kind: 'text', value: 'TEXT', description: 'Run only the tests whose name contains this text.' },
      junit: {
        kind: 'text',
        value: 'FILE',
        description: 'Also write the results to a file, as JUnit XML.',
        completes: 'file',
      },
      ...componentOptions,
    },
    load: async () => (await import('../commands/test.ts')).test,
  }),
  command({
    name: 'render',
    summary: 'Print a config with all includes and substitutions resolved.',
    details: 'Passwords, keys and values from the environment are masked.',
    examples: ['headrace render movies.conf', 'headrace render movies.conf --hocon'],
    arguments: [config],
    options: {
      ...configOptions,
      hocon: { kind: 'flag', description: 'Print HOCON instead of JSON.' },
      showSecrets: { kind: 'flag', description: 'Print secrets without masking them.' },
    },
    load: async () => (await import('../commands/render.ts')).render,
  }),
  command({
    name: 'preview',
    summary: 'Run documents through a pipeline without indexing them.',
    details:
      'Prints the documents as they would reach the indexer, as JSON lines; nothing is indexed.\n' +
      'Dropped and failed documents are printed on standard error. Exits with 1 if a document failed.',
    examples: [
      'headrace preview movies.conf --limit 3',
      'headrace preview movies.conf --documents samples.jsonl',
      'headrace preview movies.conf --limit 1 --trace',
    ],
    arguments: [config],
    options: {
      ...configOptions,
      pipeline: { kind: 'text', value: 'NAME', description: 'The pipeline; default: the first one of the config.' },
      documents: {
        kind: 'text',
        value: 'FILE',
        description: 'Documents as JSON lines, "-" for standard input; default: documents from the connectors.',
        completes: 'file',
      },
      limit: {
        kind: 'count',
        value: 'N',
        description: 'How many documents to read from the connectors; default: 10.',
      },
      trace: { kind: 'flag', description: 'Show what each stage does to each document.' },
      ...componentOptions,
      json: {
        kind: 'flag',
        description: 'Print {"input", "documents", "dropped", "failure", "trace"} for each document.',
      },
    },
    load: async () => (await import('../commands/preview.ts')).preview,
  }),
  command({
    name: 'components',
    summary: 'List the connectors, stages and indexers, explain one, or search them.',
    examples: ['headrace components', 'headrace components CopyFields', 'headrace components split text'],
    arguments: [
      {
        name: 'NAME',
        required: false,
        several: true,
        description: 'The component to explain, or words to search for in names and descriptions.',
      },
    ],
    options: {
      ...componentOptions,
      json: { kind: 'flag', description: 'Print JSON.' },
    },
    load: async () => (await import('../commands/components.ts')).components,
  }),
  command({
    name: 'schema',
    summary: 'Print the JSON Schema of a config, for editors.',
    details: 'Editors use it to complete and check JSON configs: headrace schema > headrace.schema.json.',
    examples: ['headrace schema', 'headrace schema --components ./my-stage.js'],
    arguments: [],
    options: componentOptions,
    load: async () => (await import('../commands/schema.ts')).schema,
  }),
  command({
    name: 'init',
    summary: 'Write an example config, which can be run without changes.',
    examples: ['headrace init', 'headrace init movies.conf'],
    arguments: [
      {
        name: 'FILE',
        required: false,
        description: 'The file to write; default: headrace.conf. An existing file is not overwritten.',
        completes: 'file',
      },
    ],
    options: {},
    load: async () => (await import('../commands/init.ts')).init,
  }),
  command({
    name: 'hash-password',
    summary: 'Print the hash of a password, for a user in the service file.',
    details: 'Asks for the password on a terminal without showing it; otherwise reads it from standard input.',
    examples: ['headrace hash-password', 'headrace hash-password < password.txt'],
    arguments: [],
    options: {},
    load: async () => (await import('../commands/hash-password.ts')).hashPassword,
  }),
  command({
    name: 'token',
    summary: 'Create an API token, and its hash for the service file.',
    details: 'A program sends the token (Authorization: Bearer). The service file contains only the hash.',
    examples: ['headrace token'],
    arguments: [],
    options: {},
    load: async () => (await import('../commands/token.ts')).token,
  }),
  command({
    name: 'completion',
    summary: 'Print a script that completes commands and options in a shell.',
    details:
      'bash: source <(headrace completion bash), in ~/.bashrc.\n' +
      'zsh:  source <(headrace completion zsh), in ~/.zshrc.\n' +
      'fish: headrace completion fish > ~/.config/fish/completions/headrace.fish',
    examples: ['headrace completion bash'],
    arguments: [
      { name: 'SHELL', required: true, description: 'bash, zsh or fish.', completes: ['bash', 'zsh', 'fish'] },
    ],
    options: {},
    load: async () => (await import('./completion.ts')).completion,
  }),
];

/** All commands. Parsing, help and completion are generated from this table. */
export const commands: readonly CommandSpec[] = [
  ...explained,
  command({
    name: 'help',
    summary: 'Explain a command.',
    examples: ['headrace help', 'headrace help run'],
    arguments: [
      {
        name: 'COMMAND',
        required: false,
        description: 'The command to explain.',
        completes: explained.map((spec) => spec.name),
      },
    ],
    options: {},
    load: async () => (await import('./help.ts')).help,
  }),
];
