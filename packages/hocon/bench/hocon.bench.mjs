// Speed of the config language: node packages/hocon/bench/hocon.bench.mjs (after a build).
// Prints MB/s after warm-up for texts of about 1 MB, the growth from 1 MB to 8 MB, and the time of a small config.

// The argument may name another build, to compare the two.
const { parse } = await import(process.argv[2] ?? '../dist/index.js');

const small = JSON.stringify({
  connectors: [{ class: 'FileConnector', name: 'c1', pipeline: 'p1', paths: ['/data/in'], fileHandlers: { csv: {} } }],
  pipelines: [
    { name: 'p1', stages: [{ class: 'RenameFields', fieldMapping: { a: 'b', c: 'd' }, updateMode: 'overwrite' }] },
  ],
  indexer: { type: 'CSV', batchSize: 100 },
});

/** The parts of a config, repeated until the text is long enough. */
function repeat(bytes, part) {
  const parts = [];
  for (let i = 0, length = 0; length < bytes; i++) {
    const text = part(i);
    parts.push(text);
    length += text.length;
  }
  return parts.join('');
}

const ordinary = (bytes) =>
  repeat(
    bytes,
    (i) => `# pipeline number ${i}
pipeline${i} {
  name = "pipeline ${i}", enabled = true
  threads : ${i % 8}
  stages = [
    { class = com.kmwllc.lucille.stage.RenameFields, fieldMapping { "field one" = field_two, b = c } }
    {
      class : "com.kmwllc.lucille.stage.ParseDate" // with formats
      source = [published, modified], dest = [date], formats = ["yyyy-MM-dd", "MM/dd/yyyy"]
    }
  ]
  indexer.batch.size = ${i * 10}, indexer.batch.timeout = 1.5
}
`,
  );

/** Returns a JSON object with a few fields on each level, nested to this depth. */
const jsonTree = (i, depth) =>
  depth === 0
    ? { id: i, name: `leaf ${i}`, on: true }
    : { id: i, name: `level ${depth}`, list: [1, 2, 3], inner: jsonTree(i, depth - 1) };

const texts = {
  'ordinary config': ordinary,
  'ordinary config, Windows line ends': (bytes) => ordinary(bytes).replaceAll('\n', '\r\n'),
  'mostly comments': (bytes) =>
    repeat(
      bytes,
      (i) => `# What this is about: option ${i}, of no use to most.\n// Default: ${i}\noption${i} = ${i} # set\n\n`,
    ),
  'quoted keys and strings': (bytes) =>
    repeat(bytes, (i) => `"the key ${i}" : { "a b" : "text ${i}", "c\\td" : "e\\"f" }\n`),
  'JSON, indented': (bytes) =>
    `{${repeat(bytes, (i) => `${i ? ',' : ''}\n  "key${i}": {"id": ${i}, "name": "value ${i}", "list": [1, 2.5, true, null], "nested": {"a": "x\\ny"}}`)}\n}`,
  'JSON, 20 levels': (bytes) =>
    `{${repeat(bytes, (i) => `${i ? ',' : ''}\n"key${i}": ${JSON.stringify(jsonTree(i, 20), null, 2)}`)}\n}`,
  'properties style': (bytes) => repeat(bytes, (i) => `app.section${i % 100}.key${i}.name = some value ${i}\n`),
  'one list of numbers': (bytes) => `l = [${repeat(bytes, (i) => `${i ? ', ' : ''}${i}`)}]`,
  'a substitution in each line': (bytes) =>
    `root = /data\n${repeat(bytes, (i) => `path${i} = \${root}/files/number-${i}.csv\n`)}`,
  'five substitutions in each line': (bytes) =>
    `defaults { retries = 3, timeout = 10, tags = [a] }\nroot = /data\n${repeat(bytes, (i) => `job${i} = \${defaults} { path = \${root}/job${i}, tags = \${defaults.tags} [b], next = \${?job${i + 1}.path} }\n`)}`,
  'one list, appended to': (bytes) => repeat(bytes, (i) => `list += "element ${i}"\n`),
  'nested 900 deep': (bytes) => repeat(bytes, (i) => `k${i} = ${'{a=['.repeat(450)}${']}'.repeat(450)}\n`),
};

/** The time of this thread in milliseconds, in which other work on the machine does not count. */
function time() {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** The best of several runs in milliseconds. */
function best(run, rounds) {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < rounds; i++) {
    const start = time();
    run();
    least = Math.min(least, time() - start);
  }
  return least;
}

const only = process.argv[3] ?? '';
const measured = Object.entries(texts).filter(([name]) => name.includes(only));
for (const [name, make] of measured) {
  const { problems } = parse(make(1_000_000));
  if (problems.length > 0) throw new Error(`${name}: ${problems[0].message}`);
}
// Warm-up: on a busy machine the compiler takes its time.
for (const start = time(); time() - start < 3_000; ) parse(texts['ordinary config'](1_000_000));
console.log('| text | MB/s | 8 times the length takes |');
console.log('| --- | ---: | ---: |');
for (const [name, make] of measured) {
  const text = make(1_000_000);
  const long = make(8_000_000);
  const each = best(() => parse(text), 20);
  const factor = best(() => parse(long), 4) / each;
  console.log(`| ${name} | ${(text.length / 1e3 / each).toFixed(1)} | ${factor.toFixed(1)} times |`);
}

for (let i = 0; i < 20_000; i++) parse(small);
const each = best(() => {
  for (let i = 0; i < 1_000; i++) parse(small);
}, 10);
console.log(`\nA JSON config of ${small.length} bytes: ${each.toFixed(1)} µs`);
