import {
  HeadraceError,
  type RecordDecoder,
  type RecordSink,
  type RejectedRecord,
  Type,
  withDefaults,
} from '@headrace/engine';
import { expect, it } from 'vitest';
import { MessageDecoder } from '../kafka/message-decoder.ts';
import { XmlDecoder } from './xml/xml-decoder.ts';
import { xmlParameters } from './xml/xml-settings.ts';

const xml = '<r/>';
const json = '{"id":"1"}';
const cases: [string, RecordDecoder, string, unknown][] = [
  [
    'XML',
    new XmlDecoder({ settings: withDefaults(Type.Object(xmlParameters), { xmlRootPath: '/r' }), docIdPrefix: '' }),
    xml,
    { path: 'a.xml', records: [{ start: 0, end: xml.length, line: 1, id: [] }] },
  ],
  [
    'Kafka',
    new MessageDecoder({
      topic: 't',
      docIdPrefix: '',
      idFrom: 'field',
      idField: 'id',
      tombstones: 'fail',
      headerFields: [],
      unwrap: undefined,
    }),
    json,
    { partitions: Int32Array.of(0), offsets: BigInt64Array.of(0n), lengths: Int32Array.of(json.length) },
  ],
];

it.each(cases)('an error of the pipeline is not reported as an unreadable record of %s', (...given) => {
  const [, decoder, text, position] = given;
  const rejected: RejectedRecord[] = [];
  const thrown = new HeadraceError('HR_PIPELINE_THREAD_LOST', 'gone');
  const sink: RecordSink = {
    document() {
      throw thrown;
    },
    reject: (record) => void rejected.push(record),
    warn() {},
    notice() {},
  };
  expect(() => decoder.decode(Buffer.from(text), position, sink)).toThrow(thrown);
  expect(rejected).toEqual([]);
});
