import { counted, HeadraceError, type Logger } from '@headrace/engine';
import { type ConfigIdentity, nameOf, ownerOf } from '../settings/config-identity.ts';

/**
 * Finds messages of other configs in a topic that several configs use. Nothing of them is processed.
 */
export class ForeignMessages {
  readonly #own: ConfigIdentity;
  readonly #topic: string;
  readonly #log: Logger;
  /** The number of messages that were left to the group of their config, by the name of the config. */
  readonly #left = new Map<string, number>();

  constructor(own: ConfigIdentity, topic: string, log: Logger) {
    this.#own = own;
    this.#topic = topic;
    this.#log = log;
  }

  /**
   * Returns true if a message belongs to another config, whose own consumer group reads it too. Throws
   * `HR_RUN_FOREIGN_MESSAGE` if it belongs to a config with the same group: no other process would read it.
   * @param of the identity in the message
   */
  has(of: ConfigIdentity | undefined): boolean {
    const owner = ownerOf(of, this.#own);
    if (of === undefined || owner === 'own') return false;
    const [other, own] = [nameOf(of), nameOf(this.#own)];
    if (owner === 'same group') {
      const message = `A message of the topic ${this.#topic} belongs to the config ${other}, but this process runs the config ${own}, with the same consumer group ${this.#own.group}`;
      throw new HeadraceError('HR_RUN_FOREIGN_MESSAGE', message, {
        hint: 'If they are two configs, give one of them another kafka.consumerGroupId. If they are the same, set the same kafka.configId in both. The message stays in the topic.',
      });
    }
    const before = this.#left.get(other) ?? 0;
    this.#left.set(other, before + 1);
    if (before === 0) {
      this.#log.warn(
        `The topic ${this.#topic} has messages of the config ${other}. The config ${own} does not process them: they are left to the consumer group ${of.group}`,
      );
    }
    return true;
  }

  /** Logs how many messages were left to other groups. */
  close(): void {
    for (const [other, messages] of this.#left) {
      this.#log.warn(`${counted(messages, 'message')} of the config ${other} in ${this.#topic} were not processed`);
    }
  }
}
