let segmenter: Intl.Segmenter | undefined;

/**
 * Returns the sentences of a text in any script by the rules of Unicode (UAX 29), without the white space around them.
 * A line break ends a sentence, and so does the full stop of an abbreviation.
 */
export function unicodeSentences(text: string): string[] {
  segmenter ??= new Intl.Segmenter('und', { granularity: 'sentence' });
  const sentences: string[] = [];
  for (const { segment } of segmenter.segment(text)) {
    const sentence = segment.trim();
    if (sentence !== '') sentences.push(sentence);
  }
  return sentences;
}
