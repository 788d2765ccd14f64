import { CONSUMER_PROPERTIES, checkKafkaProperties, PRODUCER_PROPERTIES } from '@headrace/components/kafka';
import type { KafkaSettings, SettingProblem } from './kafka-settings.ts';

const KNOWN = {
  consumer: CONSUMER_PROPERTIES,
  producer: PRODUCER_PROPERTIES,
  admin: { names: [], numbers: [], choices: {} },
} as const;

/**
 * Mistakes in the properties of the three clients that would end or stop a process later: a login without a mechanism
 * or a password, a store of Java, a text where a number belongs. Properties without effect are none.
 */
export function checkClientProperties(settings: KafkaSettings): SettingProblem[] {
  return (['consumer', 'producer', 'admin'] as const).flatMap((kind) => {
    const properties = new Map(Object.entries(settings[kind]));
    const problems = checkKafkaProperties(properties, KNOWN[kind], (name) => ['kafka', kind, name]);
    return Array.from(problems)
      .filter(({ severity }) => severity !== 'warning')
      .map(({ parameter, message, hint }) => {
        const where = `Set it in the block kafka.${kind} or in kafka.${kind}PropertyFile: no client uses that of another.`;
        const path = `kafka.${kind}."${[parameter].flat().at(-1)}"`;
        return { path, message, hint: hint === undefined ? where : `${hint} ${where}` };
      });
  });
}
