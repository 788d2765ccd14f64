export type { PartitionLag, QueueState } from './roles/consumer-lag.ts';
export { type DeadLetter, deadLetters, replay } from './roles/dead-letter-topic.ts';
export { prepareTopics } from './roles/prepare-topics.ts';
export { type PlainConfig, type Role, roleConfig } from './roles/role-config.ts';
export { type RoleCounts, RoleRunner, type RoleState, withRoleComponents } from './roles/role-runner.ts';
export { checkClientProperties } from './settings/check-client-properties.ts';
export { type KafkaSettings, readKafkaSettings, type SettingProblem } from './settings/kafka-settings.ts';
export { destTopic, failTopic, sourceTopic } from './settings/topics.ts';
