// Runs one small script on many documents. After a build: node packages/sandbox/bench/sandbox.bench.mjs
import { boundaryCommand, findBoundary, NODE_INSIDE } from '@headrace/sandbox/boundary';
import { SandboxedScript, VmScript } from '@headrace/sandbox/javascript';
import { ScriptProcess } from '@headrace/sandbox/process';
import { asyncRate, rate, report } from '../../../bench/rate.mjs';

class Host {
  methods = [];
  document = undefined;
  names = () => Object.keys(this.document);
  has = (name) => Object.hasOwn(this.document, name);
  read = (name) => this.document[name];
  write = (name, value) => {
    this.document[name] = value;
  };
  remove = (name) => delete this.document[name];
  call = () => ({});
  log = () => {};
  list = () => [];
  map = () => new Map();
  isMap = (value) => value instanceof Map;
  double = (value) => value;
  doubleValue = () => undefined;
  bytesText = () => undefined;
}

const makeError = ({ message }) => new Error(message);
const source = "doc.words = doc.title.split(' ').length; doc.total = doc.price * doc.count";
const document = { title: 'Blue paper boat', price: 25.5, count: 4 };
const trusted = new VmScript(source, 'bench.js', new Host(), makeError);
report(
  'JavaScript in V8',
  rate(() => trusted.run(document)),
  'documents/s',
);
const untrusted = await SandboxedScript.open(source, 'bench.js', new Host(), makeError);
report(
  'JavaScript in QuickJS',
  rate(() => untrusted.run(document)),
  'documents/s',
);

const program =
  "process.stdout.write('{}\\n'); process.stdin.on('data', (data) => process.stdout.write(String(data).replace(/.+/g, '{\"value\":1}')))";
const boundary = await findBoundary([]);
const commands = { 'a process': { command: process.execPath, args: ['-e', program] } };
if (boundary.kind !== 'none') {
  const lockedIn = { mounts: [], maxBytes: 2 ** 30, command: NODE_INSIDE, args: ['-e', program] };
  commands[`a process in ${boundary.kind}`] = boundaryCommand(boundary, lockedIn);
}
for (const [name, command] of Object.entries(commands)) {
  const readJson = (line) => new Map(Object.entries(JSON.parse(line)));
  const script = new ScriptProcess({
    name,
    ...command,
    env: {},
    startMillis: 60_000,
    readJson,
    makeError,
    logger: console,
  });
  await script.start();
  report(`calls of ${name}, one at a time`, await asyncRate(() => script.call('{}')), 'calls/s');
  await script.stop();
}
