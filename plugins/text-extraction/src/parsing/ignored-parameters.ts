import { type ParameterProblem, Type } from 'headrace/engine';

/** Parameters of Lucille that configure its Java libraries. */
export const ignoredParameters = {
  /** The configuration file of Apache Tika. It has no effect here. */
  tikaConfigPath: Type.Optional(Type.String()),
  /** The settings for parsing in Java processes. They have no effect here: files are always parsed in threads. */
  fork: Type.Optional(
    Type.Object({
      /** It has no effect. */
      enabled: Type.Optional(Type.Boolean()),
      /** It has no effect. */
      poolSize: Type.Optional(Type.Number()),
      /** It has no effect. */
      jvmArgs: Type.Optional(Type.Array(Type.String())),
      /** It has no effect. */
      serverPulseMillis: Type.Optional(Type.Number()),
    }),
  ),
  /** A Java class that reads files. It has no effect here. */
  fetcherClass: Type.Optional(Type.String()),
};

/** Warns about parameters that have no effect. */
export function* checkIgnored(
  params: { readonly [name in keyof typeof ignoredParameters]?: unknown },
): Generator<ParameterProblem> {
  const reasons = {
    tikaConfigPath: 'files are not read with Apache Tika',
    fork: 'each file is parsed in a thread with limits of memory and time',
    fetcherClass: 'Java classes cannot be loaded',
  };
  for (const [parameter, reason] of Object.entries(reasons)) {
    if (params[parameter as keyof typeof reasons] === undefined) continue;
    yield { parameter, severity: 'warning', message: `${parameter} has no effect: ${reason}`, hint: 'Remove it.' };
  }
}
