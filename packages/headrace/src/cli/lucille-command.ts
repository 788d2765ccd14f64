/** The options of Lucille's `Runner`, in lower case, and what to write here. `-local` is the default. */
const OPTIONS: Readonly<Record<string, string>> = {
  '-distributed': 'run CONFIG --distributed',
  '-external': 'run CONFIG --external',
  '-usekafka': 'run CONFIG --external',
  '-local': 'run CONFIG',
  '-validate': 'validate CONFIG',
  '-render': 'render CONFIG',
};

/** The main classes of Lucille, without their package. */
const CLASSES: Readonly<Record<string, string>> = {
  Runner: 'run CONFIG',
  Worker: 'worker CONFIG [--pipeline NAME]',
  Indexer: 'indexer CONFIG [--pipeline NAME]',
  WorkerIndexer: 'worker-indexer CONFIG [--pipeline NAME]',
};

/**
 * Explains a command line that is written for Lucille: says which command does the same here. Returns undefined for
 * other command lines.
 */
export function explainLucilleCommand(args: readonly string[]): string | undefined {
  const option = args.find((arg) => Object.hasOwn(OPTIONS, arg.toLowerCase()));
  const known = option ?? args.find((arg) => Object.hasOwn(CLASSES, classOf(arg)));
  if (known === undefined) return undefined;
  return `${known} is from Lucille. Write: headrace ${OPTIONS[known.toLowerCase()] ?? CLASSES[classOf(known)]}`;
}

function classOf(arg: string): string {
  return arg.replace(/^com\.kmwllc\.lucille\.core\./, '');
}
