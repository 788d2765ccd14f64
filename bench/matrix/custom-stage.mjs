import { Stage, Type } from 'headrace';

/** Counts the words of a text: a stage of a user, which works document by document. */
export class CountWords extends Stage {
  static parameters = Type.Object({
    /** The field that holds the text. */
    field: Type.String(),
    /** The field for the number. */
    dest: Type.String(),
  });

  process(document) {
    const { field, dest } = this.params;
    const text = document.text(field);
    if (text !== undefined) document.set(dest, text.split(/\s+/).filter(Boolean).length);
  }
}
