import { describe, expect, it } from 'vitest';
import { readText, repositoryFiles } from './repository.ts';

/** Words that slow down readers, and what to write instead. The guide is docs/contributing/writing.md. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/\btold\b/i, 'is reported, returns, lists'],
  [/\btells? of\b/i, 'reports, describes'],
  [/\bfor ever\b/i, 'forever'],
  [/\banew\b/i, 'again'],
  [/\bwhoever\b/i, 'users who, the client that'],
  [/\bbesides\b/i, 'also, in addition to'],
  [/\b(goes|go|went|going) on\b/i, 'continues, runs'],
  [/\b(comes?|came) to (its|an|the|their) end\b/i, 'ends, finishes'],
  [/\bof (its|their|his|her|your|our|one's|my) own\b/i, 'its own …, a separate …, custom'],
  [/\bstands?\b(?!-)/i, 'is, means (stands for), replaces (stands in for)'],
  [/\brooms?\b/i, 'folder, space, capacity'],
  [/\bnobody\b/i, 'no user, no thread, nothing'],
  [
    /(?<!look-?)\bbehind\b(?! (a|the|an|its|your|one|some)? ?(reverse |trusted |same )?(prox|load balancer|gateway|firewall))/i,
    'after, under',
  ],
  [/\b(sees?|saw) to it\b/i, 'makes sure'],
  [/\b(in vain|therein|thereof|thereby|whereupon|upon|hence|heeds?|heeded)\b/i, 'a common word'],
  [/\botherwise than\b/i, 'differs from'],
  [/\bthat there (is|are|was|were) not\b/i, 'that does not exist'],
  [/\b(is|are|was|were) (not )?to be had\b/i, 'is available'],
  [/\bone after the other\b/i, 'one at a time, in sequence'],
  [/\bcomes? again\b/i, 'is read again, is processed again'],
  [/\b(became|becomes?) of\b/i, 'the result of'],
  [/\b(hands?|handed|handing) over\b/i, 'passes, sends, transfers'],
  [/\b(under way|given out)\b/i, 'in progress, returned'],
  [/\b(gave|gives?|given|giving) up\b/i, 'fails, releases, abandons, rejects'],
  [/\bleft out\b|\bleaves? out\b/i, 'is omitted, is skipped'],
  [/\bleft alone\b/i, 'is not changed'],
  [/\bat once\b/i, 'immediately, together, at the same time'],
  [/\bwhatever\b/i, 'any …, regardless of …'],
  [/\boutside of\b/i, 'outside'],
  [/\bpoints? in time\b/i, 'time, instant'],
  [/\bURLs? of https?\b/i, 'an http or https URL'],
  [/\bthat (is|was) there\b/i, 'that exists, current'],
  [
    /(?<![a-z])tell[A-Z]\w*|\btold[A-Z]|[a-z]Anew\b|_TOLD_|\bgiveUp\b|GIVE_UP|\bleftOut|\bleavesOut\b/,
    'names such as warnOf…, report…, restart…',
  ],
];

/** Files without a check: the guide shows the words, and recorded cases, licences and generated data stay unchanged. */
const EXEMPT = [
  /^docs\/contributing\/writing\.md$/,
  /^tests\/house\/words\.test\.ts$/,
  /^tests\/golden\/cases\//,
  /(^|\/)([\w-]+\.)?LICENSE$/,
  /package-lock\.json$/,
  /\.generated\.(json|ts)$/,
  /\.(png|ico|jpg|gif|woff2?|parquet|gz|zip|pdf|bin|svg|csv|jsonl|xml)$/,
];

/** The files with their comments on one line, so that a phrase is found across the lines of a comment. */
const texts = new Map<string, string>();

function textOf(path: string): string {
  const text = texts.get(path) ?? readText(path).replaceAll(/\n[ \t]*(\*|\/\/|#) ?/g, ' ');
  texts.set(path, text);
  return text;
}

describe('the words of the repository', () => {
  const files = repositoryFiles().filter((path) => !EXEMPT.some((exempt) => exempt.test(path)));

  it.each(WORDS)('do not include %s', (word, instead) => {
    const found = files.flatMap((path) =>
      [...textOf(path).matchAll(new RegExp(word, 'gi'))].map(({ 0: match, index }) => {
        return `${path}: …${textOf(path).slice(Math.max(0, index - 40), index + match.length + 40)}…`;
      }),
    );
    expect(found, `write instead: ${instead}`).toEqual([]);
  });
});
