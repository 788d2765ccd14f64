import { expect, it } from 'vitest';
import { readText, repositoryFiles } from './repository.ts';

/** The only public hosts that the code names, and why. `docs/support.md` says that nothing is sent to anyone else. */
const HOSTS: Readonly<Record<string, string>> = {
  'api.openai.com': 'the default of OpenAIEmbed',
  'api.pinecone.io': 'the default of the components for Pinecone',
  'huggingface.co': 'the default of JlamaEmbed, which asks it only with allowDownload',
  'example.org': 'in hints',
  'nodejs.org': 'in the message about an old Node',
  // Names of languages, which no program opens.
  'backend.userland.com': 'RSS',
  'blogs.law.harvard.edu': 'RSS',
  'json-schema.org': 'JSON Schema',
  'my.netscape.com': 'RSS',
  'purl.org': 'RSS',
  'www.w3.org': 'HTML, XML, SVG, Atom, RDF',
};

/** The hosts that a config without addresses can reach. */
const DEFAULTS = ['api.openai.com', 'api.pinecone.io', 'huggingface.co'];

it('the code names no public host that is not listed, so nothing is sent to the authors of Headrace', () => {
  const sources = repositoryFiles().filter(
    (path) =>
      /^(packages|plugins)\/(?!testing\/)[\w-]+\/(src|bin)\/.*\.(ts|js|svelte|html)$/.test(path) &&
      !/\.test\.|\/testing\//.test(path),
  );
  expect(sources.length).toBeGreaterThan(500);
  const found = new Map<string, string>();
  for (const path of sources) {
    const code = readText(path).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
    for (const [, host = ''] of code.matchAll(/https?:\/\/([\w-]+(?:\.[\w-]+)*\.[a-z]{2,})/g)) found.set(host, path);
  }
  expect(Object.fromEntries([...found].filter(([host]) => !(host in HOSTS)))).toEqual({});
  expect([...found.keys()].sort()).toEqual(Object.keys(HOSTS).sort());
});

it('the page about telemetry lists the hosts that are defaults', () => {
  for (const host of DEFAULTS) expect(readText('docs/support.md')).toContain(`\`${host}\``);
});
