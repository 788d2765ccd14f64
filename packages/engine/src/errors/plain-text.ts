/**
 * Text for people: in a terminal, a log file or a report. Loads nothing else, because every command needs it.
 *
 * @module
 */

/**
 * What makes a terminal act or a line break: the control characters of ASCII (C0, DEL) and of Latin-1 (C1), Unicode's
 * line and paragraph separators, and the controls that reorder text (bidirectional marks, embeddings, overrides, isolates).
 */
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;
const SHORT: Readonly<Record<string, string>> = { '\b': '\\b', '\t': '\\t', '\n': '\\n', '\f': '\\f', '\r': '\\r' };

/**
 * Returns a text in one line that a terminal only shows: control characters become escapes such as `\n` and `\u001b`.
 * Names and values of documents, files and servers may contain any character. Without this, they could forge lines of a
 * log, or send commands to the terminal. JSON in one line stays the same JSON, because only its strings can contain
 * such characters. A text that is already escaped does not change.
 */
export function escapeControls(text: string): string {
  return text.replace(
    CONTROLS,
    (character) => SHORT[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
