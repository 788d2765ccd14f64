/** Sets a flag of V8 for all threads of the process. With a changed flag, V8 rejects compiled code from its caches. */
export function setV8Flag(flag: string): void {
  process.getBuiltinModule('node:v8').setFlagsFromString(flag);
}
