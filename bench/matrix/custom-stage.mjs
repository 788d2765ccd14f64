import { Stage, Type } from 'headrace';

/** Counts the words of a text. A custom stage of a user, which processes one document at a time. */
export class CountWords extends Stage {
  static parameters = Type.Object({
    /** The field with the text. */
    field: Type.String(),
    /** The field for the number of words. */
    dest: Type.String(),
  });

  process(document) {
    const { field, dest } = this.params;
    const text = document.text(field);
    if (text !== undefined) document.set(dest, text.split(/\s+/).filter(Boolean).length);
  }
}
