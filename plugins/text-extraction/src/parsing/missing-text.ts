import type { MissingText } from './parse-message.ts';

/** Why a file has no text, for a person, and what helps. */
export const MISSING_TEXT: Readonly<Record<MissingText, { readonly reason: string; readonly hint: string }>> = {
  'text.empty': {
    reason: 'there is no text in it',
    hint: 'Exclude such files, or set onError to continue.',
  },
  'text.unsupported': {
    reason: 'no reader knows its type',
    hint: 'Exclude such files, or let a Tika server read them: see the parameter tika.',
  },
  'text.onlyImages': {
    reason: 'it has only images',
    hint: 'ApplyOCR reads images and the pages of PDF files. Set onError to continue and errorField, and add ApplyOCR with a condition on that field.',
  },
};
