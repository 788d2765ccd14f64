import type { ScriptFailure } from '../problems/script-problem.ts';

/** An operation that the document rejects. */
export interface RefusedOperation {
  readonly message: string;
  readonly code: string;
}

/**
 * The access of a realm to the current document. Containers are passed in the form of the host (`list`, `map`). Scalars
 * are primitives everywhere.
 */
export interface RealmHost {
  /** The names of the methods of `rawDoc`. */
  readonly methods: readonly string[];
  names(): readonly string[];
  has(name: string): boolean;
  /** Returns the value of a field, or undefined if the field is missing. */
  read(name: string): unknown;
  write(name: string, value: unknown): RefusedOperation | undefined;
  /** Removes a field. Returns false if the field belongs to the engine. */
  remove(name: string): boolean;
  call(method: string, args: unknown[]): { readonly value?: unknown; readonly refusal?: RefusedOperation };
  log(level: 'debug' | 'info' | 'warn' | 'error', text: string): void;
  list(): unknown[];
  map(): Map<string, unknown>;
  isMap(value: object): boolean;
  /** Returns the value of a whole double, or undefined for any other object. */
  doubleValue(value: object): number | undefined;
  /** Returns bytes as base64, or undefined for any other object. */
  bytesText(value: object): string | undefined;
}

export interface Realm {
  /** Sets the script that `wrapScript` returned. Another call restarts the script. */
  load(script: () => Iterator<{ thrown: unknown } | undefined>): void;
  /** Runs the script on the current document of the host. */
  run(): ScriptFailure | undefined;
  /** Writes the changes that promises of the script made after `run`. */
  finish(): ScriptFailure | undefined;
}

/**
 * Creates the globals of a JavaScript realm, such as `doc` and `rawDoc`. It is the only definition of what scripts see.
 * Its source (`REALM_SOURCE`) is evaluated in a V8 context for trusted configs, and in QuickJS for all others. So it
 * must not use anything outside itself, and only ECMAScript.
 * Fields with lists or objects are read as real lists and objects. They are created on first access, and kept for the
 * document. Their changes are written when the script ends. Unchanged values keep the kind of their numbers.
 */
export function openRealm(host: RealmHost): Realm {
  const MAX_DEPTH = 1000;
  const MAX_LONG = 2 ** 63;
  let lives: Map<string, { live: object; original: unknown }> | undefined;

  function refuse({ message, code }: RefusedOperation): never {
    throw Object.assign(new Error(message), { code });
  }

  /** Returns a value of the document as the script sees it. */
  function toScript(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      const list: unknown[] = [];
      for (let i = 0; i < value.length; i++) list[i] = toScript(value[i]);
      return list;
    }
    if (host.isMap(value)) {
      const object: Record<string, unknown> = {};
      for (const [key, member] of value as Map<string, unknown>) define(object, key, toScript(member));
      return object;
    }
    return host.doubleValue(value) ?? host.bytesText(value);
  }

  function define(object: object, key: string, value: unknown): void {
    if (key !== '__proto__') (object as Record<string, unknown>)[key] = value;
    else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  }

  /** Converts a value of a script to a value of the document. Returns `original` itself if the value is unchanged. */
  function toValue(given: unknown, original: unknown, depth: number): unknown {
    switch (typeof given) {
      case 'string':
        return typeof original === 'object' && original !== null && host.bytesText(original) === given
          ? original
          : given;
      case 'boolean':
        return given;
      case 'number':
        return numberValue(given, original);
      case 'bigint':
        return Number.isSafeInteger(Number(given)) ? Number(given) : given;
      case 'symbol':
        return String(given);
      case 'undefined':
        return null;
      case 'function':
        return host.map();
    }
    if (given === null) return null;
    if (depth > MAX_DEPTH) throw new Error(`the value is nested deeper than ${MAX_DEPTH} levels, or contains itself`);
    if (Array.isArray(given)) return listValue(given, original, depth);
    if (given instanceof Date) return dateText(given);
    if (given instanceof Set || ArrayBuffer.isView(given)) {
      return listValue(Array.from(given as unknown as Iterable<unknown>), undefined, depth);
    }
    if (given instanceof Number || given instanceof String || given instanceof Boolean) {
      return toValue(given.valueOf(), undefined, depth);
    }
    return objectValue(given as object, original, depth);
  }

  function numberValue(given: number, original: unknown): unknown {
    if (original === given) return original;
    if (typeof original === 'object' && original !== null && host.doubleValue(original) === given) return original;
    if (!Number.isFinite(given)) return String(given);
    if (Number.isSafeInteger(given)) return given + 0;
    return Number.isInteger(given) && Math.abs(given) < MAX_LONG ? BigInt(given) : given;
  }

  function listValue(given: readonly unknown[], original: unknown, depth: number): unknown {
    const before: readonly unknown[] | undefined = Array.isArray(original) ? original : undefined;
    let same = before !== undefined && before.length === given.length;
    const list = host.list();
    for (let i = 0; i < given.length; i++) {
      // Closes the gap that `delete list[i]` leaves.
      if (before !== undefined && i < before.length && !(i in given)) same = false;
      else {
        const value = toValue(given[i], before?.[i], depth + 1);
        if (same && value !== before?.[i]) same = false;
        list.push(value);
      }
    }
    return same ? original : list;
  }

  function objectValue(given: object, original: unknown, depth: number): unknown {
    const before =
      typeof original === 'object' && original !== null && host.isMap(original)
        ? (original as Map<string, unknown>)
        : undefined;
    const entries = given instanceof Map ? given : undefined;
    const keys = entries === undefined ? Object.keys(given) : Array.from(entries.keys(), String);
    const member = (key: string) =>
      entries === undefined ? (given as Record<string, unknown>)[key] : entries.get(key);
    let same = before !== undefined && before.size === keys.length;
    const map = host.map();
    // Known keys keep their order. JavaScript moves keys like "10" to the front.
    if (before !== undefined) {
      const present = new Set(keys);
      for (const [key, old] of before) {
        if (!present.has(key)) same = false;
        else {
          const value = toValue(member(key), old, depth + 1);
          if (value !== old) same = false;
          map.set(key, value);
        }
      }
    }
    for (const key of keys)
      if (before === undefined || !before.has(key)) map.set(key, toValue(member(key), undefined, depth + 1));
    return same ? original : map;
  }

  function dateText(date: Date): string {
    if (Number.isNaN(date.getTime())) throw new TypeError('an invalid Date cannot be the value of a field');
    return date.toISOString().replace('.000Z', 'Z');
  }

  function readField(name: string): unknown {
    const value = host.read(name);
    if (typeof value !== 'object' || value === null) return value;
    const known = lives?.get(name);
    if (known !== undefined) return known.live;
    const read = toScript(value);
    if (typeof read !== 'object' || read === null) return read;
    lives ??= new Map();
    lives.set(name, { live: read, original: value });
    return read;
  }

  /** Converts a value for a field. The error for an unsupported value names the field. */
  function fieldValue(name: string, given: unknown, original: unknown): unknown {
    try {
      return toValue(given, original, 0);
    } catch (error) {
      throw new Error(`field "${name}": ${(error as Error).message}`);
    }
  }

  function writeField(name: string, given: unknown): void {
    // A script can assign a list that it read from the field, and change the list later.
    if (lives !== undefined && lives.size > 0) {
      if (typeof given === 'object' && given !== null && lives.get(name)?.live === given) return;
      lives.delete(name);
    }
    const refusal = host.write(name, fieldValue(name, given, undefined));
    if (refusal !== undefined) refuse(refusal);
  }

  /** Writes the changes of the lists and objects that the script has read. */
  function flush(): void {
    if (lives === undefined) return;
    for (const [name, entry] of lives) {
      const value = fieldValue(name, entry.live, entry.original);
      if (value === entry.original) continue;
      const refusal = host.write(name, value);
      if (refusal !== undefined) refuse(refusal);
      entry.original = value;
    }
  }

  const doc = new Proxy({} as Record<string, unknown>, {
    get(target, name) {
      if (typeof name !== 'string') return undefined;
      const value = readField(name);
      return value === undefined && name === 'hasOwnProperty' ? target[name] : value;
    },
    set(_target, name, value) {
      if (typeof name !== 'string') throw new TypeError('the name of a field cannot be a symbol');
      writeField(name, value);
      return true;
    },
    has: (_target, name) => typeof name === 'string' && host.has(name),
    deleteProperty(_target, name) {
      if (typeof name !== 'string') return true;
      lives?.delete(name);
      return host.remove(name);
    },
    ownKeys: () => Array.from(host.names()),
    getOwnPropertyDescriptor(_target, name) {
      if (typeof name !== 'string' || !host.has(name)) return undefined;
      return { value: readField(name), writable: true, enumerable: true, configurable: true };
    },
    defineProperty(_target, name, { value }) {
      if (typeof name !== 'string') return false;
      writeField(name, value);
      return true;
    },
  });

  const rawDoc: Record<string, unknown> = {};
  for (const method of host.methods) {
    rawDoc[method] = (...given: unknown[]) => {
      flush();
      const args = host.list();
      for (const value of given) args.push(toValue(value, undefined, 0));
      const { value, refusal } = host.call(method, args);
      // Fields that the call may have changed are read again. For a nested path, that is the field of the first name.
      for (const name of given.slice(0, 2)) {
        if (typeof name !== 'string') continue;
        lives?.delete(name);
        lives?.delete(name.split(/[.[]/, 1)[0] as string);
      }
      if (refusal !== undefined) refuse(refusal);
      return value === undefined ? null : toScript(value);
    };
  }

  const UpdateMode = Object.freeze({ OVERWRITE: 'overwrite', APPEND: 'append', SKIP: 'skip' });
  const Java = Object.freeze({
    type(name: string) {
      if (name === 'com.kmwllc.lucille.core.UpdateMode') return UpdateMode;
      throw new Error(`Java.type("${name}"): there are no Java classes here, only rawDoc and UpdateMode`);
    },
  });

  function textOf(given: unknown): string {
    if (typeof given === 'string') return given;
    try {
      return (typeof given === 'object' ? JSON.stringify(given) : undefined) ?? String(given);
    } catch (error) {
      return String(error);
    }
  }
  const logger =
    (level: Parameters<RealmHost['log']>[0]) =>
    (...given: unknown[]) =>
      host.log(level, given.map(textOf).join(' '));
  const console = {
    log: logger('info'),
    info: logger('info'),
    debug: logger('debug'),
    warn: logger('warn'),
    error: logger('error'),
  };
  const globals = { doc, rawDoc: Object.freeze(rawDoc), UpdateMode, Java, console, print: console.log };
  for (const [name, value] of Object.entries(globals)) {
    Object.defineProperty(globalThis, name, { value, writable: true, enumerable: false, configurable: true });
  }
  // Scripts read long integers as BigInt. In JSON texts they are numbers.
  Object.defineProperty(BigInt.prototype, 'toJSON', {
    value: function toJSON(this: bigint) {
      return Number(this);
    },
    writable: true,
    configurable: true,
  });

  function describe(thrown: unknown): ScriptFailure {
    try {
      if (!(thrown instanceof Error) && Object.prototype.toString.call(thrown) !== '[object Error]') {
        return { message: `the script threw ${textOf(thrown)}` };
      }
      const { name, message, stack, code } = thrown as Error & { code?: unknown };
      return {
        message: code !== undefined || name === 'Error' ? String(message) : `${name}: ${message}`,
        ...(typeof stack === 'string' ? { stack } : {}),
        ...(typeof code === 'string' ? { code } : {}),
        ...(name === 'InternalError' && /out of memory/.test(message) ? { fatal: true } : {}),
      };
    } catch {
      return { message: 'the script threw something that cannot be shown' };
    }
  }

  let script: () => Iterator<{ thrown: unknown } | undefined> = () => [][Symbol.iterator]();
  let state: Iterator<{ thrown: unknown } | undefined> | undefined;
  return {
    load(loaded) {
      script = loaded;
      state = undefined;
    },
    run() {
      lives = undefined;
      try {
        state ??= script.call(globalThis);
        const { value } = state.next();
        if (value !== undefined) return describe(value.thrown);
        flush();
      } catch (error) {
        return describe(error);
      }
      return undefined;
    },
    finish() {
      try {
        flush();
      } catch (error) {
        return describe(error);
      }
      return undefined;
    },
  };
}

/** The source text of `openRealm`, as an expression. */
export const REALM_SOURCE = `(${openRealm.toString()})`;
