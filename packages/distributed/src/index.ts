export { type DeadLetter, deadLetters, replay } from './roles/dead-letter-topic.ts';
export { prepareTopics } from './roles/prepare-topics.ts';
export { type PlainConfig, type Role, roleConfig } from './roles/role-config.ts';
export { RoleRunner, type RoleState, withRoleComponents } from './roles/role-runner.ts';
export { type KafkaSettings, readKafkaSettings, type SettingProblem } from './settings/kafka-settings.ts';
export { destTopic, failTopic, sourceTopic } from './settings/topics.ts';
