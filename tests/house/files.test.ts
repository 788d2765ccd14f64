import { describe, expect, it } from 'vitest';
import { readText, repositoryFiles, root } from './repository.ts';

const files = repositoryFiles();
const texts = files.filter((path) => !/\.(png|ico|jpg|gif|woff2?|parquet|gz|zip|pdf|bin)$/.test(path));

interface LockedPackage {
  readonly link?: boolean;
  readonly inBundle?: boolean;
  readonly integrity?: string;
}

describe('files of the repository', () => {
  it('contain no path of the machine that wrote them', () => {
    const place = root.replace(/\/$/, '');
    const wrong = texts.filter((path) => readText(path).includes(place));
    expect(wrong).toEqual([]);
  });

  it('name no package registry, because npm has its own setting for it', () => {
    const host = /https?:\/\/[^\s"'/]*(registry|artifactory|nexus|verdaccio|pypi|npm\.)[^\s"'/]*/i;
    const wrong = texts.filter((path) => host.test(readText(path)));
    expect(wrong).toEqual([]);
    const lock = JSON.parse(readText('package-lock.json')) as { packages: Record<string, { resolved?: string }> };
    const resolved = Object.values(lock.packages).flatMap((entry) => entry.resolved ?? []);
    expect(resolved.filter((url) => /^https?:/.test(url))).toEqual([]);
  });

  it('lock every package of a registry with its hash (node scripts/complete-lock.mjs says what to do)', () => {
    const lock = JSON.parse(readText('package-lock.json')) as { packages: Record<string, LockedPackage> };
    const installed = Object.entries(lock.packages).filter(([path, { link }]) => /node_modules/.test(path) && !link);
    expect(installed.length).toBeGreaterThan(500);
    const unknown = installed.filter(([, { integrity, inBundle }]) => integrity === undefined && inBundle !== true);
    expect(unknown.map(([path]) => path)).toEqual([]);
  });

  it('await describeWithServer, so that its tests are defined in time', () => {
    const late = texts.filter((path) => path.endsWith('.test.ts') && /^describeWithServer\(/m.test(readText(path)));
    expect(late).toEqual([]);
  });

  it('are named *.server.test.ts exactly if they start a real server', () => {
    const wrong = texts.filter(
      (path) =>
        path.endsWith('.test.ts') &&
        path.endsWith('.server.test.ts') !== /from '[^']*\/(real-server|sasl-broker)(\.ts)?'/.test(readText(path)),
    );
    expect(wrong).toEqual([]);
  });

  it('contain no TODO, FIXME, .only or ignored type error', () => {
    const marks = new RegExp(
      `\\b(${['TODO', 'FIXME'].join('|')})\\b|\\b(it|test|describe)\\.only\\(|@ts-(ignore|nocheck)`,
    );
    const wrong = files.filter(
      (path) =>
        /^(packages|plugins|tests|scripts|bench)\/.*\.(ts|tsx|mjs)$/.test(path) &&
        !path.startsWith('tests/house/') &&
        marks.test(readText(path)),
    );
    expect(wrong).toEqual([]);
  });
});
