/** The components that replace connectors and indexers in the processes of a distributed run. */
export { SourceWriter } from '../publisher/source-writer.ts';
export { QueueReader } from '../queue/queue-reader.ts';
export { QueueWriter } from '../queue/queue-writer.ts';
