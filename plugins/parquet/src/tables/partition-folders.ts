import { type Constant, constantOf } from './constant.ts';
import { BOOLEAN, DATE, DOUBLE, INTEGER, TEXT, timestamp, type ValueElement } from './table-field.ts';

/** The types that the parameter `partitionTypes` accepts. */
export const PARTITION_TYPES = ['text', 'integer', 'number', 'boolean', 'date', 'timestamp'] as const;

export type PartitionType = (typeof PARTITION_TYPES)[number];

/** The columns in the names of folders, such as `dt=2026-01-01`; null for a value that is missing. */
export type Partitions = ReadonlyMap<string, string | null>;

const ELEMENTS: Readonly<Record<PartitionType, ValueElement>> = {
  text: TEXT,
  integer: INTEGER,
  number: DOUBLE,
  boolean: BOOLEAN,
  date: DATE,
  timestamp: timestamp('MICROS', false),
};

/** Hive and Spark write this name for a null, and for an empty text. */
const NULL = '__HIVE_DEFAULT_PARTITION__';

/** Returns the columns of the folder with this name: those of its parent, and its own. */
export function partitionsOf(folder: string, parent: Partitions): Partitions {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(folder) ?? [];
  if (name === undefined || value === undefined) return parent;
  return new Map([...parent, [unescaped(name), value === NULL ? null : unescaped(value)]]);
}

/** Writers escape characters that the names of files may not have. What is not an escape stays. */
function unescaped(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString());
}

/** The types of partition columns: those that the config states, and otherwise those that fit all folders. */
export class PartitionTypes {
  readonly #stated: ReadonlyMap<string, PartitionType>;
  readonly #found = new Map<string, PartitionType>();

  constructor(stated: ReadonlyMap<string, PartitionType> | undefined) {
    this.#stated = stated ?? new Map();
  }

  /** Call it with all folders of a level before `constantsOf`. */
  note(partitions: Partitions): void {
    for (const [column, text] of partitions) {
      if (text === null || this.#stated.has(column)) continue;
      const type = typeOf(text);
      this.#found.set(column, (this.#found.get(column) ?? type) === type ? type : 'text');
    }
  }

  /** Returns the columns whose values lose zeros because they become numbers. Those of months and days may. */
  losingZeros(partitions: Partitions): (readonly [column: string, text: string])[] {
    const numbers = [...partitions].filter(([column]) => this.#found.get(column) === 'integer');
    return numbers.filter((entry): entry is [string, string] => /^-?0\d{2,}$/.test(entry[1] ?? ''));
  }

  /** Returns the values of the columns. Throws if one does not have the stated type. */
  constantsOf(partitions: Partitions): Map<string, Constant> {
    const constants = new Map<string, Constant>();
    for (const [column, text] of partitions) {
      const type = this.#stated.get(column) ?? this.#found.get(column) ?? 'text';
      try {
        const written = type === 'timestamp' ? (text?.replace(' ', 'T') ?? null) : text;
        constants.set(column, constantOf(written, ELEMENTS[type]));
      } catch (error) {
        throw new Error(`the partition column ${column}: ${(error as Error).message}`, { cause: error });
      }
    }
    return constants;
  }
}

/** As in Spark, numbers may begin with zeros: month=01. Numbers with fractions stay texts, which keep their digits. */
function typeOf(text: string): PartitionType {
  if (/^-?\d{1,18}$/.test(text)) return 'integer';
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? 'date' : 'text';
}
