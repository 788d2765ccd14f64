import type { ObjectNode } from '@headrace/hocon';
import type { LogRecord } from '../component/logger.ts';
import { messageOf } from '../errors/headrace-error.ts';
import type { Notice, NoticeExample } from '../notices/notice.ts';
import { maskTexts, secretTexts } from './render-config.ts';

/**
 * Masks the secrets of a config in the messages of its run. The run uses the real secrets, so the path of a file or the
 * answer of a server may contain them.
 */
export class SecretMask {
  readonly #root: ObjectNode;
  readonly #withEnvironment: boolean;
  #secrets: readonly string[] | undefined;

  /** @param withEnvironment true if values from the environment are secrets, as for untrusted users */
  constructor(root: ObjectNode, withEnvironment: boolean) {
    this.#root = root;
    this.#withEnvironment = withEnvironment;
  }

  text(text: string): string {
    this.#secrets ??= secretTexts(this.#root, this.#withEnvironment);
    return maskTexts(text, this.#secrets);
  }

  /** Masks the message and the hint of a problem or failure. */
  failure<T extends { readonly message: string; readonly hint?: string }>(failure: T): T {
    const { message, hint } = failure;
    return { ...failure, message: this.text(message), ...(hint === undefined ? {} : { hint: this.text(hint) }) };
  }

  /** Masks the texts of the examples of a notice. */
  notice(notice: Notice): Notice {
    const masked = (example: NoticeExample): NoticeExample => {
      const texts = Object.entries(example).map(([name, value]) => [
        name,
        typeof value === 'string' ? this.text(value) : value,
      ]);
      return Object.fromEntries(texts) as NoticeExample;
    };
    return { ...notice, examples: notice.examples.map(masked) };
  }

  /** Masks a log record. Converts its fields to JSON values, because components may log any value. */
  record(record: LogRecord): LogRecord {
    const message = this.text(record.message);
    if (record.fields === undefined) return { ...record, message };
    return { ...record, message, fields: this.#fields(record.fields) };
  }

  #fields(fields: Record<string, unknown>): Record<string, unknown> {
    try {
      const mask = (_key: string, value: unknown) => (typeof value === 'string' ? this.text(value) : value);
      return JSON.parse(JSON.stringify(fields, mask)) as Record<string, unknown>;
    } catch (error) {
      return { unreadable: messageOf(error) };
    }
  }
}
