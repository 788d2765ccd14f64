// node bench/stages/measure-stage.mjs STAGE: prints one row of the table as JSON. Each stage runs in a separate
// process, so that no stage runs in code that V8 compiled for another stage.
import { catalogUrl } from '@headrace/components';
import { Document, DocumentTable, Registry } from '@headrace/engine';
import { makeStage, stageContext, toDocument } from '@headrace/engine/testing';
import { inDirectory } from '../measure.mjs';
import { sampleDocument } from './sample-documents.mjs';
import { stageWork } from './stage-work.mjs';

const DOCUMENTS = 1000;
const TURNS = 9;
/** The processor seconds of each turn. The cost of creating the documents does not count. */
const TURN_SECONDS = 0.15;
const MAX_TURN_WALL_SECONDS = 0.6;
/** The rows of a table of 32 KiB, as the CSV decoder creates them. */
const TABLE_ROWS = 32;

const [name] = process.argv.slice(2);
console.log(JSON.stringify(await inDirectory((directory) => measure(name, directory))));

async function measure(name, directory) {
  const [stageName] = name.split(' ');
  const { params, fields, byHand, trusted = true, random = false, asMaps = false } = await stageWork[name](directory);
  const registry = await Registry.open({
    catalogs: [catalogUrl],
    modules: [],
    base: import.meta.url,
    allowModules: false,
  });
  const StageClass = await registry.load(await registry.find('stage', stageName));
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const stage = makeStage(StageClass, params, stageContext({ trusted, log }));
  await stage.start?.();
  const records = Array.from({ length: DOCUMENTS }, (_, i) => ({ ...sampleDocument(i), ...fields?.(i) }));
  const documents = records.map(documentOf);
  // Both sides get the same string objects, because V8 has several kinds of strings, and some are faster than others.
  for (const [i, document] of documents.entries()) {
    for (const name in records[i]) if (typeof records[i][name] === 'string') records[i][name] = document.get(name);
  }
  const makeRecords = (count) => records.slice(0, count).map(asMaps ? mapOf : copyOf);
  const makeDocuments = (count) => documents.slice(0, count).map(cloneOf);

  const started = process.cpuUsage();
  await compare(name, stage, byHand, makeDocuments(100), makeRecords(100), random);
  const count = Math.min(DOCUMENTS, Math.max(20, Math.ceil((DOCUMENTS * 10) / (secondsSince(started) * 1000))));
  const variants = {
    stage: { make: () => makeDocuments(count), work: (batch) => runStage(stage, batch) },
    byHand: { make: () => makeRecords(count), work: (batch) => runByHand(byHand, batch) },
  };
  if (takesTables(stage, documents)) {
    variants.tables = { make: () => tablesOf(documents.slice(0, count)), work: (tables) => runTables(stage, tables) };
  }
  const perSecond = {};
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [variant, { make, work }] of Object.entries(variants)) {
      perSecond[variant] = Math.max(perSecond[variant] ?? 0, await oneTurn(count, make, work));
    }
  }
  await stage.stop?.();
  return perSecond;
}

/** Returns the documents per processor second. */
async function oneTurn(count, make, work) {
  let seconds = 0;
  let done = 0;
  const started = performance.now();
  while (seconds < TURN_SECONDS && performance.now() - started < MAX_TURN_WALL_SECONDS * 1000) {
    const batch = make();
    const before = process.cpuUsage();
    const promise = work(batch);
    if (promise !== undefined) await promise;
    seconds += secondsSince(before);
    done += count;
  }
  return done / seconds;
}

function secondsSince(before) {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/** Runs a stage on documents. Returns a promise if a document needs one, and the caller must wait for it. */
function runStage(stage, documents) {
  for (let i = 0; i < documents.length; i++) {
    const result = stage.process(documents[i]);
    if (result === undefined) continue;
    if (result instanceof Promise) return finishStage(stage, documents, i + 1, result);
    for (const child of result) child.bypassed;
  }
  return undefined;
}

async function finishStage(stage, documents, from, first) {
  for (const child of (await first) ?? []) child.bypassed;
  for (let i = from; i < documents.length; i++)
    for (const child of (await stage.process(documents[i])) ?? []) child.bypassed;
}

function runByHand(byHand, records) {
  for (let i = 0; i < records.length; i++) {
    const result = byHand(records[i]);
    if (result instanceof Promise) return finishByHand(byHand, records, i + 1, result);
  }
  return undefined;
}

async function finishByHand(byHand, records, from, first) {
  await first;
  for (let i = from; i < records.length; i++) await byHand(records[i]);
}

function runTables(stage, tables) {
  for (const table of tables) stage.processTable(table);
}

function takesTables(stage, documents) {
  return (
    stage.processTable !== undefined &&
    tablesOf(documents.slice(0, TABLE_ROWS)).every((table) => stage.processTable(table))
  );
}

function tablesOf(documents) {
  const names = documents[0].fieldNames;
  const tables = [];
  for (let i = 0; i < documents.length; i += TABLE_ROWS) {
    const rows = documents.slice(i, i + TABLE_ROWS);
    tables.push(
      new DocumentTable(
        names,
        names.map((_, column) => rows.map((row) => cloneOf(row).fieldValues[column])),
        rows.length,
      ),
    );
  }
  return tables;
}

function documentOf(record) {
  const bytes = Object.entries(record).filter(([, value]) => value instanceof Uint8Array);
  const document = toDocument({ ...record, ...Object.fromEntries(bytes.map(([name]) => [name, null])) });
  for (const [name, value] of bytes) document.set(name, value);
  return new Document(document.shape, document.fieldValues);
}

/** Copies a document value by value, as decoders create documents. */
function cloneOf(document) {
  const values = [];
  for (const value of document.clone().fieldValues) values.push(Array.isArray(value) ? value.map(fresh) : value);
  return new Document(document.shape, values);
}

/**
 * Copies the items of lists, too. A text that was looked up before has a stored hash, a text of a new document has not.
 */
function fresh(item) {
  return typeof item === 'string' ? Buffer.from(item).toString() : item;
}

function copyOf(record) {
  const copy = { ...record };
  for (const name in copy) if (typeof copy[name] === 'object') copy[name] = copyValue(copy[name]);
  return copy;
}

function copyValue(value) {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => fresh(copyValue(item)));
  return value instanceof Uint8Array ? new Uint8Array(value) : copyOf(value);
}

function mapOf(record) {
  return new Map(Object.entries(copyOf(record)));
}

/** Throws unless both sides have the same result. For random values, only the fields must be equal. */
async function compare(name, stage, byHand, documents, records, random) {
  for (const [i, document] of documents.entries()) {
    const ours = [];
    for (const child of (await stage.process(document)) ?? []) ours.push(child);
    ours.push(document);
    const theirs = [...((await byHand(records[i])) ?? []), records[i]];
    const [a, b] = [ours.map(plainDocument), theirs.map(plainRecord)].map((list) =>
      JSON.stringify(list.map((one) => (random ? Object.keys(one) : one)).map(sorted)),
    );
    if (a !== b) throw new Error(`${name}: the stage and the work by hand differ:\n${a}\n${b}`);
  }
}

function plainDocument(document) {
  return JSON.parse(document.toJson());
}

function plainRecord(record) {
  const object = record instanceof Map ? Object.fromEntries(record) : record;
  return JSON.parse(
    JSON.stringify(object, function (key, value) {
      return this[key] instanceof Uint8Array ? Buffer.from(this[key]).toString('base64') : value;
    }),
  );
}

function sorted(object) {
  return Array.isArray(object)
    ? object.toSorted()
    : Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}
