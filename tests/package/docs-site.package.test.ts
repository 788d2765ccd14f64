import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, posix } from 'node:path';
import { promisify } from 'node:util';
import { load } from 'cheerio';
import { createMarkdownRenderer } from 'vitepress';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SourceFiles } from '../../docs/.vitepress/source-files.ts';
import { root } from '../house/repository.ts';

const run = promisify(execFile);
const docs = join(root, 'docs');
const MINUTES = 60_000;

/** Inside the repository, so that the configuration finds its packages. Git ignores the folder. */
const site = join(root, 'node_modules/.cache/docs-site');

interface Page {
  readonly path: string;
  readonly ids: ReadonlySet<string>;
  /** Addresses of links. */
  readonly links: readonly string[];
  /** Addresses of resources that the browser loads with the page. */
  readonly loads: readonly string[];
}

const pages = new Map<string, Page>();

function readPage(path: string): Page {
  const $ = load(readFileSync(join(site, path), 'utf8'));
  const all = (selector: string, name: string) =>
    $(selector)
      .toArray()
      .map((element) => $(element).attr(name) ?? '');
  return {
    path,
    ids: new Set(all('[id]', 'id')),
    links: all('a[href]', 'href'),
    loads: [...all('script[src], img[src]', 'src'), ...all('link[href]', 'href')],
  };
}

describe('the documentation site', () => {
  beforeAll(async () => {
    await run('vitepress', ['build', 'docs', '--outDir', site], { cwd: root });
    const files = readdirSync(site, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.html'));
    for (const path of files) pages.set(path, readPage(path));
  }, 10 * MINUTES);

  afterAll(() => rmSync(site, { recursive: true, force: true }));

  it('has every page of docs', () => {
    const sources = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.md'));
    expect(sources.length).toBeGreaterThan(20);
    expect([...pages.keys()]).toEqual(expect.arrayContaining(sources.map((path) => path.replace(/md$/, 'html'))));
  });

  it('lists every page in the sidebar', () => {
    const listed = pages.get('index.html')?.links ?? [];
    const missing = [...pages.keys()].filter(
      (path) => !path.startsWith('files/') && path !== '404.html' && !listed.includes(`/${path}`),
    );
    expect(missing.filter((path) => path !== 'index.html')).toEqual([]);
  });

  it('has no broken link, including links to a part of a page', () => {
    const broken: string[] = [];
    for (const { path, links } of pages.values()) {
      for (const link of links) {
        if (/^[a-z]+:/.test(link)) continue;
        const [target = '', part = ''] = link.split('#');
        const page = target === '' ? path : posix.join(posix.dirname(`/${path}`), target).slice(1);
        const full = target.startsWith('/') ? target.slice(1) : page;
        const found = pages.get(full === '' || full.endsWith('/') ? `${full}index.html` : full);
        const isThere = found !== undefined && (part === '' || found.ids.has(decodeURIComponent(part)));
        if (!isThere) broken.push(`${path}: ${link}`);
      }
    }
    expect(broken).toEqual([]);
  });

  it('loads nothing from other servers', () => {
    const elsewhere = [...pages.values()].flatMap(({ loads }) => loads.filter((address) => !/^\/\w/.test(address)));
    expect(elsewhere).toEqual([]);
    const styles = readdirSync(join(site, 'assets')).filter((file) => file.endsWith('.css'));
    expect(styles.length).toBeGreaterThan(0);
    for (const file of styles) {
      expect(readFileSync(join(site, 'assets', file), 'utf8')).not.toMatch(/url\(["']?(https?:)?\/\//);
    }
  });

  it('lists every page for assistants, with its title, a sentence and a link to its Markdown', () => {
    const lines = readFileSync(join(site, 'llms.txt'), 'utf8').split('\n');
    expect(lines[0]).toBe('# Headrace');
    const listed = new Map(
      lines.flatMap((line) => {
        const [, title, path, sentence] = /^- \[(.+?)\]\(\/(\S+\.md)\): (\S.*[.!?])$/.exec(line) ?? [];
        return path === undefined ? [] : [[path, { title, sentence }]];
      }),
    );
    const sources = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.md'));
    expect([...listed.keys()].sort()).toEqual(sources.sort());
    for (const path of sources) expect(readFileSync(join(site, path))).toEqual(readFileSync(join(docs, path)));
    expect(listed.get('retrieval.md')).toEqual({
      title: 'Retrieval: passages, vectors and old chunks',
      sentence: 'A search by meaning, or a language model with your documents, needs passages instead of whole files.',
    });
  });

  it('has one file with the text of every page for assistants', () => {
    const full = readFileSync(join(site, 'llms-full.txt'), 'utf8');
    const sources = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.md'));
    const missing = sources.filter(
      (path) => !full.includes(`<!-- /${path} -->\n\n${readFileSync(join(docs, path), 'utf8').trimEnd()}\n`),
    );
    expect(missing).toEqual([]);
  });

  it('has an index for its search', () => {
    const chunks = readdirSync(join(site, 'assets/chunks'));
    expect(chunks.some((file) => file.startsWith('@localSearchIndex'))).toBe(true);
    expect(existsSync(join(site, 'hashmap.json'))).toBe(true);
  });
});

it('a page that links to a file of the repository that does not exist fails the build', async () => {
  const renderer = await createMarkdownRenderer(docs, { config: (it) => new SourceFiles(docs).linkIn(it) });
  const env = { path: join(docs, 'index.md') };
  expect(renderer.render('[code](../README.md)', env)).toContain('href="/files/README.md.html"');
  expect(() => renderer.render('[code](../nothing.md)', env)).toThrow('links to ../nothing.md, which is not a file');
});
