import { CONSUMER_PROPERTIES, checkKafkaProperties, PRODUCER_PROPERTIES } from '@headrace/components/kafka';
import type { ParameterProblem } from '@headrace/engine';
import type { KafkaSettings, SettingProblem } from './kafka-settings.ts';

const KNOWN = {
  consumer: CONSUMER_PROPERTIES,
  producer: PRODUCER_PROPERTIES,
  admin: { names: [], numbers: [], choices: {} },
} as const;

/**
 * Returns the mistakes in the properties of the three clients: a login without a mechanism or a password, a Java key
 * store, a text instead of a number. Property files of Lucille contain properties that only Java has, so all properties
 * of a client that have no effect are one warning.
 */
export function checkClientProperties(settings: KafkaSettings): SettingProblem[] {
  return (['consumer', 'producer', 'admin'] as const).flatMap((kind) => {
    const properties = new Map(Object.entries(settings[kind]));
    const problems = [...checkKafkaProperties(properties, KNOWN[kind], (name) => ['kafka', kind, name])];
    const nameOf = ({ parameter }: ParameterProblem) => String([parameter].flat().at(-1));
    const pathOf = (name: string) => `kafka.${kind}."${name}"`;
    const mistakes = problems
      .filter(({ severity }) => severity !== 'warning')
      .map((problem): SettingProblem => {
        const { message, hint } = problem;
        const where = `Set it in the block kafka.${kind} or in kafka.${kind}PropertyFile: each client uses only its own block.`;
        return { path: pathOf(nameOf(problem)), message, hint: hint === undefined ? where : `${hint} ${where}` };
      });
    const unused = problems.filter(({ severity }) => severity === 'warning').map(nameOf);
    const [first] = unused;
    if (first === undefined) return mistakes;
    const message = `${unused.join(', ')}: ${unused.length === 1 ? 'this property has' : 'these properties have'} no effect`;
    const hint = `Remove what is not needed from kafka.${kind} and kafka.${kind}PropertyFile, and check the spelling.`;
    return [...mistakes, { severity: 'warning', path: pathOf(first), message, hint }];
  });
}
