import type { ScriptHost } from './script-host.ts';

/** The host's functions for numbers with a kind, and for JSON. */
type Numbers = Pick<ScriptHost<unknown>, 'double' | 'doubleValue' | 'parse'>;

/**
 * Encodes values as JSON texts between this process and the sandbox. Scalars are unchanged. All others are lists that
 * start with their kind. `SANDBOX_HOST` is the other end.
 */

/** Encodes a value of a document as JSON that keeps the kind of its numbers. */
export function writeWire(value: unknown, numbers: Numbers): string {
  return JSON.stringify(toWire(value, numbers));
}

/** Reads the output of `writeWire` or of the sandbox. */
export function readWire(text: string, numbers: Numbers): unknown {
  return fromWire(numbers.parse(text), numbers);
}

function toWire(value: unknown, numbers: Numbers): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : ['n', String(value)];
  if (typeof value === 'bigint') return ['b', String(value)];
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return ['a', ...value.map((item) => toWire(item, numbers))];
  const double = numbers.doubleValue(value);
  if (double !== undefined) return ['d', double];
  if (value instanceof Uint8Array) {
    return ['x', Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')];
  }
  const members: unknown[] = ['o'];
  for (const [key, member] of value as Map<string, unknown>) members.push(key, toWire(member, numbers));
  return members;
}

function fromWire(wire: unknown, numbers: Numbers): unknown {
  if (!Array.isArray(wire)) return wire;
  switch (wire[0]) {
    case 'a':
      return wire.slice(1).map((item) => fromWire(item, numbers));
    case 'b':
      return BigInt(wire[1]);
    case 'd':
      return numbers.double(wire[1]);
    case 'n':
      return Number(wire[1]);
    case 'x':
      return new Uint8Array(Buffer.from(wire[1], 'base64'));
  }
  const object = new Map<string, unknown>();
  for (let i = 1; i < wire.length; i += 2) object.set(wire[i], fromWire(wire[i + 1], numbers));
  return object;
}

/** The source of the other end, in the sandbox: the host of a realm, built on functions with texts. */
export const SANDBOX_HOST = `((call, methods) => {
  class Whole { constructor(value) { this.value = value } }
  class Bytes { constructor(text) { this.text = text } }
  const read = (wire) => {
    if (!Array.isArray(wire)) return wire;
    const kind = wire[0];
    if (kind === 'a') { const list = []; for (let i = 1; i < wire.length; i++) list.push(read(wire[i])); return list }
    if (kind === 'b') return BigInt(wire[1]);
    if (kind === 'd') return new Whole(wire[1]);
    if (kind === 'n') return Number(wire[1]);
    if (kind === 'x') return new Bytes(wire[1]);
    const map = new Map();
    for (let i = 1; i < wire.length; i += 2) map.set(wire[i], read(wire[i + 1]));
    return map;
  };
  const write = (value) => {
    if (typeof value === 'number') return Number.isFinite(value) ? value : ['n', String(value)];
    if (typeof value === 'bigint') return ['b', String(value)];
    if (typeof value !== 'object' || value === null) return value;
    if (value instanceof Whole) return ['d', value.value];
    if (value instanceof Bytes) return ['x', value.text];
    if (Array.isArray(value)) { const wire = ['a']; for (const item of value) wire.push(write(item)); return wire }
    const wire = ['o'];
    for (const [key, member] of value) wire.push(key, write(member));
    return wire;
  };
  const { parse, stringify } = JSON;
  const ask = (...request) => { const answer = call(...request); return answer === undefined ? undefined : parse(answer) };
  return {
    methods,
    names: () => ask('names'),
    has: (name) => ask('has', name),
    read: (name) => read(ask('read', name)),
    write: (name, value) => ask('write', name, stringify(write(value))),
    remove: (name) => ask('remove', name),
    call(method, args) {
      const { value, refusal } = ask('call', method, stringify(write(args)));
      return { value: read(value), refusal };
    },
    log: (level, text) => void call('log', level, text),
    list: () => [],
    map: () => new Map(),
    isMap: (value) => value instanceof Map,
    doubleValue: (value) => value instanceof Whole ? value.value : undefined,
    bytesText: (value) => value instanceof Bytes ? value.text : undefined,
  };
})`;
