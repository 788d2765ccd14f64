/** Matches the topic names that brokers accept. */
const VALID = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,249}$/;

/** Whether brokers accept this name of a topic. */
export function isTopicName(topic: string): boolean {
  return VALID.test(topic);
}
