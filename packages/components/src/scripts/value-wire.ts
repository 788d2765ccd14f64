import { base64, Double, type JsonObject, type Value } from '@headrace/engine';

/*
 * Values as JSON texts between this process and the sandbox: scalars as they are, all others as a list with its kind
 * in front. The sandbox has the other end, `SANDBOX_WIRE`.
 */

/** A value of a document as JSON that keeps the kind of its numbers. */
export function writeWire(value: Value): string {
  return JSON.stringify(toWire(value));
}

/** What `writeWire`, or the sandbox, has written. */
export function readWire(text: string): Value {
  return fromWire(JSON.parse(text));
}

function toWire(value: Value): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : ['n', String(value)];
  if (typeof value === 'bigint') return ['b', String(value)];
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return ['a', ...value.map(toWire)];
  if (value instanceof Double) return ['d', value.value];
  if (value instanceof Uint8Array) return ['x', base64(value)];
  const members: unknown[] = ['o'];
  for (const [key, member] of value) members.push(key, toWire(member));
  return members;
}

function fromWire(wire: unknown): Value {
  if (!Array.isArray(wire)) return wire as Value;
  switch (wire[0]) {
    case 'a':
      return wire.slice(1).map(fromWire);
    case 'b':
      return BigInt(wire[1]);
    case 'd':
      return new Double(wire[1]);
    case 'n':
      return Number(wire[1]);
    case 'x':
      return new Uint8Array(Buffer.from(wire[1], 'base64'));
  }
  const object: JsonObject = new Map();
  for (let i = 1; i < wire.length; i += 2) object.set(wire[i], fromWire(wire[i + 1]));
  return object;
}

/** The other end, in the sandbox: the host that a realm wants, on top of functions that take and give texts. */
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
