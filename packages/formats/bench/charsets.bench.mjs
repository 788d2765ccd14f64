// After a build: node packages/formats/bench/charsets.bench.mjs
import { charsetDecoder, guessEncoding } from '@headrace/formats/charsets';
import { asyncRate, rate, report } from '../../../bench/rate.mjs';

const bytes = Buffer.from('Grüße aus Köln, und viel Vergnügen. '.repeat(30_000), 'latin1');
for (const name of ['UTF-8', 'ISO-8859-1', 'windows-1252', 'Cp850', 'Shift_JIS']) {
  const decoder = charsetDecoder(name);
  report(`decode ${name}`, (rate(() => decoder.decode(bytes, false)) * bytes.length) / 1e6, 'MB/s');
}
const sample = bytes.subarray(0, 64 * 1024);
report('guess an encoding from 64 KiB', await asyncRate(() => guessEncoding(sample)), 'texts/s');
