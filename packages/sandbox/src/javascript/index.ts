export { SANDBOX_LIMITS, SandboxedScript, type SandboxLimits } from './sandboxed-script.ts';
export type { ScriptHost } from './script-host.ts';
export type { RealmHost, RefusedOperation } from './script-realm.ts';
export { syntaxMistake, VmScript } from './vm-script.ts';
