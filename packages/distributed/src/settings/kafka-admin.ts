import { brokersOf, clientOptions, hearErrors, loadKafka } from '@headrace/components/kafka';
import type { Admin } from '@platformatic/kafka';
import type { KafkaSettings } from './kafka-settings.ts';

/** Creates a client for questions about topics and groups. It connects with its first call, which is not repeated. */
export async function openAdmin(settings: KafkaSettings, clientId: string): Promise<Admin> {
  const { Admin } = await loadKafka();
  return hearErrors(
    new Admin({
      ...(await clientOptions(settings.admin)),
      clientId,
      bootstrapBrokers: brokersOf(settings.bootstrapServers),
      retries: 0,
    }),
  );
}
