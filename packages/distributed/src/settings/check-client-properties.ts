import { CONSUMER_PROPERTIES, checkKafkaProperties, PRODUCER_PROPERTIES } from '@headrace/components/kafka';
import type { KafkaSettings, SettingProblem } from './kafka-settings.ts';

const KNOWN = {
  consumer: CONSUMER_PROPERTIES,
  producer: PRODUCER_PROPERTIES,
  admin: { names: [], numbers: [], choices: {} },
} as const;

/**
 * Returns the mistakes in the properties of the three clients that would stop a process later: a login without a
 * mechanism or a password, a Java key store, a text instead of a number. Properties without effect are not mistakes.
 */
export function checkClientProperties(settings: KafkaSettings): SettingProblem[] {
  return (['consumer', 'producer', 'admin'] as const).flatMap((kind) => {
    const properties = new Map(Object.entries(settings[kind]));
    const problems = checkKafkaProperties(properties, KNOWN[kind], (name) => ['kafka', kind, name]);
    return Array.from(problems)
      .filter(({ severity }) => severity !== 'warning')
      .map(({ parameter, message, hint }) => {
        const where = `Set it in the block kafka.${kind} or in kafka.${kind}PropertyFile: each client uses only its own block.`;
        const path = `kafka.${kind}."${[parameter].flat().at(-1)}"`;
        return { path, message, hint: hint === undefined ? where : `${hint} ${where}` };
      });
  });
}
