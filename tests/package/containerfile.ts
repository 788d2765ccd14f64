import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** An instruction of a Containerfile. */
export interface Instruction {
  name: string;
  /** Options such as `--from=build`. */
  flags: Readonly<Record<string, string>>;
  /** The rest of the instruction, in one line. */
  text: string;
  /** The rest as words: the elements of a JSON array, or the words between spaces. */
  words: readonly string[];
}

/** A build stage, starting at its `FROM`. */
export interface BuildStage {
  image: string;
  name: string | undefined;
  instructions: readonly Instruction[];
}

const NAMES = new Set(
  'FROM ARG LABEL ENV WORKDIR COPY RUN VOLUME USER EXPOSE STOPSIGNAL HEALTHCHECK ENTRYPOINT CMD'.split(' '),
);

/** Reads a Containerfile. Supports only the syntax used in this repository, and throws at anything else. */
export function readContainerfile(text: string): BuildStage[] {
  const stages: { image: string; name: string | undefined; instructions: Instruction[] }[] = [];
  const lines = text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  for (const line of lines) {
    const instruction = readInstruction(line);
    if (instruction.name === 'FROM') {
      const [image = '', as, name] = instruction.words;
      if (as !== undefined && as.toUpperCase() !== 'AS') throw new Error(`Not a valid FROM: ${line}`);
      stages.push({ image, name, instructions: [] });
    } else {
      const stage = stages.at(-1);
      if (stage === undefined) throw new Error(`This instruction is before the first FROM: ${line}`);
      stage.instructions.push(instruction);
    }
  }
  return stages;
}

function readInstruction(line: string): Instruction {
  const [, name = '', rest = ''] = /^([A-Z]+) +(.*)$/.exec(line) ?? [];
  if (!NAMES.has(name)) throw new Error(`No instruction: ${line}`);
  const flags: Record<string, string> = {};
  let text = rest.trim();
  for (let flag = FLAG.exec(text); flag !== null; flag = FLAG.exec(text)) {
    flags[flag[1] as string] = flag[2] as string;
    text = text.slice(flag[0].length);
  }
  if (name === 'HEALTHCHECK') text = text.replace(/^CMD +/, '');
  const words = text.startsWith('[') ? (JSON.parse(text) as string[]) : text.split(/ +/);
  return { name, flags, text, words };
}

const FLAG = /^--([a-z-]+)=(\S+) +/;

/** Returns whether an image excludes a file of the repository. The last matching pattern decides. */
export function ignoredBy(root: string): (path: string) => boolean {
  const patterns = readFileSync(join(root, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ ignored: !line.startsWith('!'), pattern: patternOf(line.replace(/^!/, '')) }));
  return (path) => patterns.findLast(({ pattern }) => pattern.test(path))?.ignored ?? false;
}

function patternOf(glob: string): RegExp {
  const text = glob
    .replaceAll('.', '\\.')
    .replaceAll('**/', '(?:.*/)?')
    .replaceAll(/(?<!\.)\*/g, '[^/]*');
  return new RegExp(`^${text}(?:/|$)`);
}
