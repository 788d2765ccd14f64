import { describe, expect, it } from 'vitest';
import { directoryWith, headrace, installHeadrace } from './headrace.ts';

const SHOUT = `import { Stage, Type, OneOf } from 'headrace';
export class Shout extends Stage {
  static description = 'Makes a text loud. For people who do not listen.';
  static parameters = Type.Object({
    field: Type.String({ description: 'The field to shout.' }),
    mark: OneOf(['!', '!!'], { default: '!', description: 'What is at the end.' }),
  });
  static examples = [{ params: { field: 'a' }, input: [{ id: '1', a: 'x' }], output: [{ id: '1', a: 'X!' }] }];
  process(document) { document.set(this.params.field, document.text(this.params.field).toUpperCase() + this.params.mark); }
}
`;

describe('components', () => {
  it('lists connectors, stages and indexers with their descriptions', async () => {
    const { code, stdout } = await headrace(['components']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Connectors\n {2}\S/m);
    expect(stdout).toMatch(/^ {2}CopyFields +\S.*\.$/m);
    expect(stdout).toMatch(/^ {2}CSVIndexer +\S/m);
  });

  it('lists the components as JSON, in the format of the API', async () => {
    const { stdout } = await headrace(['components', '--json']);
    const all = JSON.parse(stdout) as { class: string; kind: string; aliases: string[]; fields: { name: string }[] }[];
    const copy = all.find((component) => component.class === 'CopyFields');
    expect(copy).toMatchObject({ kind: 'stage', aliases: ['com.kmwllc.lucille.stage.CopyFields'] });
    expect(copy?.fields.map((field) => field.name)).toContain('fieldMapping');
  });

  it('describes a component by its short name or its Java name', async () => {
    const short = await headrace(['components', 'CopyFields']);
    expect(short.code).toBe(0);
    expect(short.stdout).toContain('CopyFields (stage');
    expect(short.stdout).toMatch(/fieldMapping \(.*required\)/);
    expect(await headrace(['components', 'com.kmwllc.lucille.stage.CopyFields'])).toEqual(short);
  });

  it('describes an indexer by its type, in any letter case', async () => {
    const byClass = await headrace(['components', 'JsonLinesIndexer']);
    expect(byClass.stdout).toContain('indexer.type: JSONLines');
    expect(await headrace(['components', 'JSONLines'])).toEqual(byClass);
    expect(await headrace(['components', 'jsonlines'])).toEqual(byClass);
    expect((await headrace(['components', 'JSONLine'])).stderr).toContain('Did you mean JSONLines?');
  });

  it('says where a file handler of a plugin is used', async () => {
    const { code, stderr } = await headrace(['components', 'VideoFileHandler']);
    expect(code).toBe(2);
    expect(stderr).toContain('VideoFileHandler is a file handler of the package @headrace/video, not a component.');
    expect(stderr).toContain('fileHandlers { mp4 { class: VideoFileHandler } }');
  });

  it('lists the keys of every stage after the keys of this stage', async () => {
    const { stdout } = await headrace(['components', 'DropDocument']);
    const [own, shared] = stdout.split('Keys of every stage\n');
    expect(own).toContain('  percentage (number, optional');
    expect(own).not.toContain('conditionPolicy');
    expect(shared).toMatch(/^ {2}class \(string, required\)\n {6}The name of the stage\./);
    expect(shared).toMatch(/^ {2}enabled \(boolean, optional, default true\)\n {6}\S/m);
  });

  it('lists parameters with dots in their names, such as kafka.topic, with the parameters of the component', async () => {
    const { stdout } = await headrace(['components', 'KafkaConnector']);
    const [own, rest = ''] = stdout.split('Keys of every connector\n');
    const [shared] = rest.split('\nExample');
    expect(own).toContain('  kafka.bootstrapServers (string, required)\n      Host and port');
    expect(shared).toContain('docIdPrefix');
    expect(shared).not.toContain('kafka.');
  });

  it('lists parameters, defaults, allowed values and examples of the components of a module', async () => {
    const cwd = directoryWith({ 'shout.js': SHOUT, 'package.json': '{"type":"module"}' });
    installHeadrace(cwd);
    const { code, stdout } = await headrace(['components', 'Shout', '--components', 'shout.js'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain('Makes a text loud. For people who do not listen.');
    expect(stdout).toContain('  field (string, required)\n      The field to shout.');
    expect(stdout).toContain('  mark (string, optional, default "!", one of !, !!)\n      What is at the end.');
    expect(stdout).toContain('"a": "X!"');
    expect((await headrace(['components', '--components', 'shout.js'], { cwd })).stdout).toMatch(
      /^ {2}Shout +Makes a text loud\.$/m,
    );
  });

  it('suggests the nearest name for an unknown component', async () => {
    const { code, stderr } = await headrace(['components', 'CopyField']);
    expect(code).toBe(2);
    expect(stderr).toBe('headrace: There is no component CopyField. Did you mean CopyFields?\n');
  });

  it('searches names first and then descriptions, for all words in any letter case', async () => {
    const { code, stdout } = await headrace(['components', 'embed']);
    expect(code).toBe(0);
    const names = stdout.split('\n').map((line) => line.split(' ')[0]);
    // The plugins of the repository are installed, so their components are found too.
    expect(names.slice(0, 4)).toEqual(['JlamaEmbed', 'LocalEmbed', 'OpenAIEmbed', 'EmbeddedPython']);
    expect(stdout).toMatch(/^ParseFloats +stage +Turns the text of a JSON list of numbers/m);
    const two = await headrace(['components', 'EMBED', 'csv']);
    expect(two.stdout).toMatch(/^ParseFloats /m);
    expect(two.stdout).not.toContain('OpenAIEmbed');
    // Two words are always a search, even if they nearly match a name.
    expect((await headrace(['components', 'parse', 'date'])).stdout).toMatch(/^ParseDate /m);
    const found = JSON.parse((await headrace(['components', 'embed', '--json'])).stdout) as { class: string }[];
    expect(found.map((entry) => entry.class)).toEqual(names.filter((name) => name !== ''));
  });

  it('reports that a search has no results', async () => {
    const { code, stderr } = await headrace(['components', 'qwertz', 'asdf']);
    expect(code).toBe(2);
    expect(stderr).toBe('headrace: There is no component qwertz asdf. `headrace components` lists them.\n');
  });

  it('reports that a module exports no component', async () => {
    const cwd = directoryWith({ 'empty.js': 'export const nothing = 1;', 'package.json': '{"type":"module"}' });
    const { code, stderr } = await headrace(['components', '--components', './empty.js'], { cwd });
    expect(code).toBe(1);
    expect(stderr).toContain('exports no component');
    expect(stderr).not.toContain('    at ');
  });
});
