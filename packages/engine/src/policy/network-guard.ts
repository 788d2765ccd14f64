import type { LookupAddress, LookupOptions } from 'node:dns';
import type { IpcSocketConnectOpts, Socket, TcpSocketConnectOpts } from 'node:net';
import { HeadraceError } from '../errors/headrace-error.ts';
import type { HostRules } from './host-rules.ts';
import { POLICY_HINT } from './policy-rules.ts';

/**
 * The guard is one check below all libraries, instead of a check in each client. Libraries for databases, message
 * brokers and clouds follow redirects, connect to other servers and look up names themselves. A check of a name before
 * the connection is not enough, because the name may have another address a moment later. In Node, every connection
 * over TCP, TLS and HTTP/2, and every connection to a socket in the file system, calls `Socket.prototype.connect`. The
 * guard replaces the look-up in this method, so the checked address is the address that is connected to.
 */

/** Receives the target of a refused connection, usually a host, and the error. */
type BlockedAccessListener = (what: string, error: HeadraceError) => void;

let report: BlockedAccessListener | undefined;

/** Sets the listener for refused connections of this thread. */
export function onBlockedAccess(listener: BlockedAccessListener): void {
  report = listener;
}

/** Creates the error for a refused connection, and notifies the listener. */
export function refuseConnection(what: string, reason?: string): HeadraceError {
  const why = reason === undefined ? '' : `: ${reason}`;
  const error = new HeadraceError('HR_POLICY_REFUSED', `An uploaded config may not connect to ${what}${why}`, {
    hint: POLICY_HINT,
  });
  report?.(what, error);
  return error;
}

type Lookup = NonNullable<TcpSocketConnectOpts['lookup']>;
type LookupCallback = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

let rulesNow: (() => HostRules | undefined) | undefined;

/**
 * Installs the guard for all connections of this thread. Further calls have no effect.
 * @param rules returns the current rules, or undefined if there are none
 */
export function installNetworkGuard(rules: () => HostRules | undefined): void {
  if (rulesNow !== undefined) return;
  rulesNow = rules;
  guardSockets();
  guardDatagrams();
}

function guardSockets(): void {
  const { Socket, isIP } = process.getBuiltinModule('node:net');
  const connect = Socket.prototype.connect as (this: Socket, ...args: unknown[]) => Socket;
  Socket.prototype.connect = function guarded(this: Socket, ...args: unknown[]): Socket {
    const rules = rulesNow?.();
    if (rules === undefined) return connect.apply(this, args);
    const [options, listener] = readArguments(args);
    const go = (guarded: Partial<TcpSocketConnectOpts>) =>
      connect.call(this, { ...options, path: undefined, ...guarded }, ...(listener === undefined ? [] : [listener]));
    // The refusal is reported as a failed look-up, because all libraries handle a failed look-up.
    const refuse = (what: string, reason?: string) =>
      go({
        host: 'refused.invalid',
        port: 1,
        lookup: (_host, _options, done) => done(refuseConnection(what, reason), '', 0),
      });
    if ('path' in options && options.path) return refuse(`the socket ${options.path}`);
    const { host: given, port, lookup } = options as TcpSocketConnectOpts;
    const host = given || 'localhost';
    const reason = rules.refusedHost(host, Number(port));
    if (reason !== undefined) return refuse(host, reason);
    return isIP(host) === 0 ? go({ host, lookup: guardedLookup(rules, Number(port), lookup) }) : go({});
  } as typeof Socket.prototype.connect;
}

/**
 * Parses the arguments of `connect`: options, a port and a host, or a path; or the arguments that `net.connect` has
 * already normalized.
 */
function readArguments(args: unknown[]): [TcpSocketConnectOpts | IpcSocketConnectOpts, (() => void) | undefined] {
  if (Array.isArray(args[0])) return readArguments(args[0]);
  const last = args.at(-1);
  const listener = typeof last === 'function' ? (last as () => void) : undefined;
  const [first, second] = args;
  if (typeof first === 'object' && first !== null) {
    return [first as TcpSocketConnectOpts | IpcSocketConnectOpts, listener];
  }
  if (typeof first === 'string' && Number.isNaN(Number(first))) return [{ path: first }, listener];
  return [{ port: Number(first), ...(typeof second === 'string' ? { host: second } : {}) }, listener];
}

/** Returns a look-up that only returns the allowed addresses. It fails if there is none. */
function guardedLookup(rules: HostRules, port: number, lookup: Lookup | undefined): Lookup {
  const original = lookup ?? (process.getBuiltinModule('node:dns').lookup as unknown as Lookup);
  return ((hostname: string, options: LookupOptions, done: LookupCallback) => {
    const checked: LookupCallback = (error, found, family) => {
      if (error !== null && error !== undefined) return done(error, found, family);
      const all = Array.isArray(found) ? found : [{ address: found, family: family ?? 0 }];
      const reasons: string[] = [];
      const allowed = all.filter(({ address }) => {
        const reason = rules.refusedAddress(hostname, address, port);
        if (reason !== undefined) reasons.push(reason);
        return reason === undefined;
      });
      const [first] = allowed;
      if (first === undefined) return done(refuseConnection(hostname, reasons[0] ?? 'no address'), []);
      if (Array.isArray(found)) done(null, allowed);
      else done(null, first.address, first.family);
    };
    (original as (hostname: string, options: LookupOptions, done: LookupCallback) => void)(hostname, options, checked);
  }) as unknown as Lookup;
}

/** Guards datagrams. For example, a client that asks a database server for its ports sends datagrams. */
function guardDatagrams(): void {
  const { Socket } = process.getBuiltinModule('node:dgram');
  const check = (port: unknown, address: unknown) => {
    const rules = rulesNow?.();
    if (rules === undefined) return;
    const host = typeof address === 'string' && address !== '' ? address : '127.0.0.1';
    const named = process.getBuiltinModule('node:net').isIP(host) === 0;
    // The socket would look up a name without the guard, so only addresses are allowed.
    const reason = named
      ? 'datagrams may only be sent to addresses, not to names'
      : rules.refusedHost(host, Number(port));
    if (reason !== undefined) throw refuseConnection(host, reason);
  };
  type Send = (this: unknown, ...args: unknown[]) => unknown;
  const prototype = Socket.prototype as unknown as { send: Send; connect: Send };
  const { send, connect } = prototype;
  prototype.send = function guarded(this: unknown, ...args) {
    // The arguments are (message, offset, length, port, address) or (message, port, address). Connected sockets were
    // checked before.
    const [, a, b, c, d] = args;
    if (typeof b === 'number' && typeof c === 'number') check(c, d);
    else if (typeof a === 'number' && typeof b !== 'number') check(a, b);
    return send.apply(this, args);
  };
  prototype.connect = function guarded(this: unknown, ...args) {
    check(args[0], args[1]);
    return connect.apply(this, args);
  };
}
