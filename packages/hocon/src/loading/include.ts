import { layOver } from '../merging/merge.ts';
import type { IncludeStatement } from '../parsing/include-statement.ts';
import type { Recovery } from '../parsing/parse-text.ts';
import { parseText } from '../parsing/parse-text.ts';
import type { Format, Session, Source } from '../parsing/session.ts';
import type { ObjectNode, Origin } from '../tree/node.ts';

/** The arguments of a loader. */
export interface IncludeRequest {
  /** `relative`: for `include "name"`, relative to the including file. `file`: relative to the working directory. */
  form: 'relative' | 'file' | 'url' | 'classpath';
  name: string;
  /** The name of the including file. */
  from: string | undefined;
}

/** A text that a loader found. `file` is its name in positions. The same file must always have the same name. */
export interface IncludedText {
  file: string;
  text: string;
}

/**
 * Finds the text of an include. Returns undefined if the text does not exist. Throws an error to refuse the include;
 * users see its message.
 */
export type IncludeLoader = (request: IncludeRequest) => IncludedText | undefined;

/** Addresses that start with a scheme of the reference. */
const ADDRESS = /^ *(?:https?|ftp|file|jar|jmod|jrt|mailto):/i;

/** The maximum nesting of includes, as in the reference. */
const MAX_NESTING = 50;

/** Returns the format for a file name, or undefined if it has none of the three extensions. */
export function formatOf(name: string): Format | undefined {
  if (name.endsWith('.conf')) return 'hocon';
  if (name.endsWith('.json')) return 'json';
  return name.endsWith('.properties') ? 'properties' : undefined;
}

/** A file that is being read, and the include statement in it that led to the next file. */
interface OpenFile {
  file: string | undefined;
  statement: Origin | undefined;
}

/** The result of a loader. */
type Loaded = { found: (IncludedText & { known: { recovery?: Recovery } }) | undefined } | { refused: string };

/** Reads included texts, counts them and detects circular includes. */
export class Includer {
  readonly #loader: IncludeLoader;
  readonly #session: Session;
  readonly #open: OpenFile[] = [];
  /** The results of the loader so far. It is called only once for each include. */
  readonly #loaded = new Map<string, Loaded>();

  constructor(loader: IncludeLoader, session: Session) {
    this.#loader = loader;
    this.#session = session;
  }

  /** Reads and parses the text of an include statement. `origin` is the position of the statement. */
  include(statement: IncludeStatement, from: Source, prefix: string[], origin: Origin): ObjectNode | undefined {
    if (this.#open.length === 0) this.#open.push({ file: from.file, statement: undefined });
    this.#open.at(-1)!.statement = origin;
    const { form, name } = statement;
    if (form === 'url' && !ADDRESS.test(name)) {
      const hint = 'an address starts with a scheme, such as file:';
      this.#session.problems.add('bad-include', origin, `"${name}" is not an address`, hint);
      return undefined;
    }
    let found: ObjectNode | undefined;
    // An address is used unchanged. Extensions are only tried for file names.
    if (formatOf(name) === undefined && (form === 'file' || (form === 'relative' && !ADDRESS.test(name)))) {
      found = this.#anyOf(statement, prefix, from, origin);
    } else {
      const format = form === 'relative' ? from.format : (formatOf(name) ?? 'hocon');
      found = this.#one(statement, name, format, prefix, from, origin);
    }
    if (found === undefined && statement.required) {
      const hint = 'check the name: it is relative to the including file, with file(...) to the working directory';
      this.#session.problems.add('include-missing', origin, `the required include "${name}" was not found`, hint);
    }
    return found;
  }

  /**
   * Includes a name without an extension: all three files that exist. `.conf` overrides `.json`, and `.json` overrides
   * `.properties`.
   */
  #anyOf(statement: IncludeStatement, prefix: string[], from: Source, origin: Origin): ObjectNode | undefined {
    let merged: ObjectNode | undefined;
    const formats = [
      ['.properties', 'properties'],
      ['.json', 'json'],
      ['.conf', 'hocon'],
    ] as const;
    for (const [extension, format] of formats) {
      const found = this.#one(statement, statement.name + extension, format, prefix, from, origin);
      if (found === undefined) continue;
      merged = merged === undefined ? found : (layOver(found, merged, this.#session.marks) as ObjectNode);
    }
    return merged;
  }

  #one(
    statement: IncludeStatement,
    name: string,
    format: Format,
    prefix: string[],
    from: Source,
    origin: Origin,
  ): ObjectNode | undefined {
    const { problems } = this.#session;
    const loaded = this.#load({ form: statement.form, name, from: from.file }, format);
    const nothing: ObjectNode = { kind: 'object', entries: new Map(), keys: new Map(), origin };
    if ('refused' in loaded) {
      const hint = 'put its content here, or include a file that may be read';
      problems.add('include-refused', origin, `cannot include "${name}": ${loaded.refused}`, hint);
      return nothing;
    }
    const { found } = loaded;
    if (found === undefined) return undefined;
    if (this.#isCycle(found.file) || !this.#mayRead(found.text, origin)) return nothing;
    this.#open.push({ file: found.file, statement: undefined });
    const before = problems.size;
    const root = parseText({ ...found, format, prefix }, this.#session);
    problems.endInclude(before);
    this.#open.pop();
    return root;
  }

  /** Calls the loader and checks its result, because a loader is user code. */
  #load(request: IncludeRequest, format: Format): Loaded {
    const key = JSON.stringify([request.form, request.name, request.from, format]);
    const known = this.#loaded.get(key);
    if (known !== undefined) return known;
    const loaded = this.#ask(request);
    this.#loaded.set(key, loaded);
    return loaded;
  }

  #ask(request: IncludeRequest): Loaded {
    let given: unknown;
    try {
      given = this.#loader(request);
    } catch (error) {
      return { refused: error instanceof Error ? error.message : String(error) };
    }
    if (given === undefined || given === null) return { found: undefined };
    if (given instanceof Promise) {
      given.catch(() => {});
      return { refused: 'the loader returned a promise, but must return { file, text } synchronously' };
    }
    if (!isIncludedText(given)) return { refused: 'the loader must return { file, text }, both strings, or undefined' };
    return { found: { file: given.file, text: given.text, known: {} } };
  }

  #isCycle(file: string): boolean {
    const at = this.#open.findIndex((open) => open.file === file);
    if (at < 0) return false;
    const circle = this.#open.slice(at);
    const message = `files include each other in a circle: ${[...circle.map((open) => open.file), file].join(' -> ')}`;
    // Any file of the circle could be reported. The reference reports this one.
    const origin = circle[(MAX_NESTING + 1 - at) % circle.length]!.statement!;
    this.#session.problems.add('include-cycle', origin, message, 'remove one of these includes');
    return true;
  }

  #mayRead(text: string, origin: Origin): boolean {
    const { problems, limits } = this.#session;
    if (this.#open.length > MAX_NESTING) {
      const hint = 'include the files from one file';
      problems.add('include-cycle', origin, `includes are nested deeper than ${MAX_NESTING} levels`, hint);
      return false;
    }
    const { files, includedText } = this.#session;
    if (files >= limits.includes) {
      const message = `more than ${limits.includes} files are included`;
      if (files === limits.includes) problems.add('too-many-includes', origin, message, 'include fewer files');
      this.#session.files++;
      return false;
    }
    if (includedText + text.length > limits.includedText) {
      const message = `the included files have more than ${limits.includedText} characters in total`;
      problems.add('includes-too-long', origin, message, 'include fewer or shorter files');
      return false;
    }
    this.#session.files++;
    this.#session.includedText += text.length;
    return true;
  }
}

function isIncludedText(given: unknown): given is IncludedText {
  if (typeof given !== 'object' || given === null) return false;
  return 'file' in given && typeof given.file === 'string' && 'text' in given && typeof given.text === 'string';
}
