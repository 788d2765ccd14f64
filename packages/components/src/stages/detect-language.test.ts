import { assertStageContract, makeStage, runStage } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { DetectLanguage } from './detect-language.ts';

const GERMAN = 'Die Fischer kehrten vor Sonnenaufgang in das Dorf zurück und verkauften alles.';
const FRENCH = 'Les pêcheurs sont revenus au village avant le lever du soleil et ont tout vendu.';

async function detect(document: Record<string, unknown>, overrides: Record<string, unknown> = {}): Promise<unknown> {
  const params = { source: ['a', 'b'], languageField: 'lang', ...overrides };
  const [outcome] = await runStage(DetectLanguage, params, [{ id: '1', ...document }]);
  expect(outcome?.error).toBeUndefined();
  return (JSON.parse(outcome?.documents[0] as string) as { lang?: unknown }).lang;
}

describe('DetectLanguage', () => {
  it('satisfies the stage contract', async () => {
    const params = { source: ['a'], languageField: 'lang' };
    await assertStageContract(DetectLanguage, { params, document: { id: '1', a: GERMAN } });
  });

  it.each([
    ['af', 'Hulle het gisteraand laat by die huis aangekom en was baie moeg na die lang reis.'],
    ['id', 'Mereka pulang ke desa sebelum matahari terbit dan menjual semua hasil tangkapan.'],
    ['mk', 'Рибарите се вратија во селото пред изгрејсонце и продадоа сѐ што фатија ноќта.'],
    ['ne', 'माझीहरू सूर्योदय हुनुअघि गाउँ फर्किए र रातभरि समातेका सबै माछा बजारमा बेचे।'],
    ['so', 'Kalluumaysatadu waxay ku noqdeen tuulada ka hor intaan qorraxdu soo bixin oo way iibiyeen.'],
    ['sw', 'Wavuvi walirudi kijijini kabla ya jua kuchomoza na wakauza samaki wote waliowavua.'],
    ['zh-tw', '漁民們在日出之前回到村子，把漫長而安靜的夜裡捕到的魚全部賣掉，然後回家休息，準備第二天再次出海。'],
    ['zh-cn', '渔民们在日出之前回到村子，把漫长而安静的夜里捕到的鱼全部卖掉，然后回家休息，准备第二天再次出海。'],
    [
      'ja',
      '漁師たちは日の出前に村へ戻り、長く静かな夜の間に捕まえた魚をすべて市場で売りました。そして家に帰りました。',
    ],
    ['ur', 'ماہی گیر سورج نکلنے سے پہلے گاؤں واپس آئے اور رات بھر میں پکڑی ہوئی ساری مچھلی بیچ دی۔'],
  ])('detects %s', async (code, text) => {
    expect(await detect({ a: text }, { minLength: 40 })).toBe(code);
  });

  it('detects the language of decomposed letters', async () => {
    const text = 'Những người đánh cá trở về làng trước khi mặt trời mọc và bán hết.';
    expect(await detect({ a: text.normalize('NFD') })).toBe('vi');
  });

  it('writes the confidence with two decimals and never 1', async () => {
    const [outcome] = await runStage(
      DetectLanguage,
      { source: ['a'], languageField: 'l', languageConfidenceField: 'c' },
      [{ id: '1', a: GERMAN.repeat(100) }],
    );
    expect(JSON.parse(outcome?.documents[0] as string)).toMatchObject({ l: 'de', c: 0.99 });
  });

  it('combines all values of all sources', async () => {
    expect(await detect({ a: GERMAN.slice(0, 40), b: [null, GERMAN.slice(40)] })).toBe('de');
    expect(await detect({ a: GERMAN.slice(0, 49) })).toBeUndefined();
    expect(await detect({ a: GERMAN.slice(0, 25), b: GERMAN.slice(25, 50) })).toBe('de');
    expect(await detect({ a: GERMAN.slice(0, 25), b: GERMAN.slice(25, 49) })).toBeUndefined();
  });

  it('examines only the first maxLength characters', async () => {
    expect(await detect({ a: GERMAN, b: FRENCH.repeat(10) }, { maxLength: GERMAN.length })).toBe('de');
    expect(await detect({ a: GERMAN, b: FRENCH.repeat(10) })).toBe('fr');
  });

  it.each([
    [{}],
    [{ a: '' }],
    [{ a: null }],
    [{ a: [] }],
    [{ a: {} }],
    [{ a: '1234567890 '.repeat(10) }],
    [{ a: `${'https://example.com/die-fischer-kehrten-vor-sonnenaufgang '.repeat(3)}` }],
    [{ a: '😀 '.repeat(100) }],
  ])('detects no language in %j', async (document) => {
    expect(await detect(document, { minLength: 0 })).toBeUndefined();
  });

  it('writes nothing if the language is not probable enough', async () => {
    expect(await detect({ a: GERMAN }, { minProbability: 1 })).toBeUndefined();
    expect(await detect({ a: 'in the de la' }, { minLength: 1, minProbability: 0.999 })).toBeUndefined();
    expect(await detect({ a: GERMAN, lang: 'old' }, { updateMode: 'skip' })).toBe('old');
    expect(await detect({ a: GERMAN, lang: 'old' }, { updateMode: 'append' })).toEqual(['old', 'de']);
  });

  it.each([
    [{ source: [] }, 'at least one field'],
    [{ languageField: 'id' }, 'reserved'],
    [{ languageConfidenceField: '' }, 'must not be empty'],
    [{ minLength: 'short' }, 'must be a number'],
    [{ maxLength: 0 }, 'at least 1'],
  ])('refuses the parameters %j', (wrong, message) => {
    expect(() => makeStage(DetectLanguage, { source: ['a'], languageField: 'lang', ...wrong })).toThrow(message);
  });
});
