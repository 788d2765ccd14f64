import { CONSUMER_PROPERTIES, checkKafkaProperties, PRODUCER_PROPERTIES } from '@headrace/components/kafka';
import type { ParameterProblem, Problem } from '@headrace/engine';
import type { KafkaSettings } from './kafka-settings.ts';

const KNOWN = {
  consumer: CONSUMER_PROPERTIES,
  producer: PRODUCER_PROPERTIES,
  admin: { names: [], numbers: [], choices: {} },
} as const;

const MISTAKE = { severity: 'error', code: 'HR_CONFIG_INVALID_VALUE' } as const;

/**
 * Returns the mistakes in the properties of the three clients: a login without a mechanism or a password, a Java key
 * store, a text instead of a number. Property files of Lucille contain properties that only Java has, so all properties
 * of a client that have no effect are one warning.
 */
export function checkClientProperties(settings: KafkaSettings): Problem[] {
  return (['consumer', 'producer', 'admin'] as const).flatMap((kind) => {
    const problems = [...checkKafkaProperties(settings[kind], KNOWN[kind], (name) => ['kafka', kind, name])];
    const nameOf = ({ parameter }: ParameterProblem) => String([parameter].flat().at(-1));
    const pathOf = (name: string) => `kafka.${kind}."${name}"`;
    const mistakes = problems
      .filter(({ severity }) => severity !== 'warning')
      .map((problem): Problem => {
        const { message, hint } = problem;
        const where = `Set it in the block kafka.${kind} or in kafka.${kind}PropertyFile: each client uses only its own block.`;
        return {
          ...MISTAKE,
          path: pathOf(nameOf(problem)),
          message,
          hint: hint === undefined ? where : `${hint} ${where}`,
        };
      });
    const unused = problems.filter(({ severity }) => severity === 'warning').map(nameOf);
    const [first] = unused;
    if (first === undefined) return mistakes;
    const message = `${unused.join(', ')}: ${unused.length === 1 ? 'this property has' : 'these properties have'} no effect`;
    const hint = `Remove what is not needed from kafka.${kind} and kafka.${kind}PropertyFile, and check the spelling.`;
    return [...mistakes, { severity: 'warning', code: 'HR_CONFIG_UNUSED', path: pathOf(first), message, hint }];
  });
}
