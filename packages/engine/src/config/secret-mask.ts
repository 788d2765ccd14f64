import type { ObjectNode } from '@headrace/hocon';
import type { LogRecord } from '../component/logger.ts';
import { messageOf } from '../errors/headrace-error.ts';
import { maskTexts, secretTexts } from './render-config.ts';

/** Masks the secrets of a config in what its run says, which had the real ones: the path of a file or the answer of a server may hold them. */
export class SecretMask {
  readonly #root: ObjectNode;
  readonly #withEnvironment: boolean;
  #secrets: readonly string[] | undefined;

  /** @param withEnvironment whether what came from the environment is a secret, as it is to strangers */
  constructor(root: ObjectNode, withEnvironment: boolean) {
    this.#root = root;
    this.#withEnvironment = withEnvironment;
  }

  text(text: string): string {
    this.#secrets ??= secretTexts(this.#root, this.#withEnvironment);
    return maskTexts(text, this.#secrets);
  }

  /** What is said of a problem or a failure. */
  failure<T extends { readonly message: string; readonly hint?: string }>(failure: T): T {
    const { message, hint } = failure;
    return { ...failure, message: this.text(message), ...(hint === undefined ? {} : { hint: this.text(hint) }) };
  }

  /** The record, and its fields as JSON can have them: components may say anything. */
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
