import { type KeptSecrets, keepSecrets, type Problem, type Registry } from '@headrace/engine';
import { type PreviewBody, readPreviewBody } from '../requests/preview-body.ts';
import { type RunBody, readRunBody } from '../requests/run-body.ts';
import type { ConfigFormat } from '../store/store.ts';
import {
  type CheckedUpload,
  checkUpload,
  type InlineConfig,
  problemsOfUpload,
  type ReadUpload,
  readInline,
  readUpload,
} from './check-upload.ts';
import { type ConfigChange, diffConfigs } from './config-diff.ts';
import { maskedText } from './masked-text.ts';

export interface ConfigText {
  text: string;
  format: ConfigFormat;
}

/** The kinds of jobs on untrusted texts, each with its input (`needs`) and its result (`gives`). */
export interface ReaderWork {
  read: { needs: ConfigText; gives: ReadUpload };
  /** `overrides` is a JSON object. */
  inline: { needs: ConfigText & { overrides: string | undefined }; gives: InlineConfig };
  problems: { needs: ConfigText; gives: Problem[] };
  check: { needs: ConfigText; gives: CheckedUpload };
  mask: { needs: ConfigText; gives: string | undefined };
  /** Replaces the masks in a text with the secrets of a stored text. */
  keep: { needs: { sent: ConfigText; stored: ConfigText }; gives: KeptSecrets };
  diff: { needs: { from: ConfigText; to: ConfigText }; gives: ConfigChange[] };
  /** These jobs read whole request bodies that contain configs and documents. */
  runBody: { needs: { bytes: Uint8Array }; gives: RunBody };
  previewBody: { needs: { bytes: Uint8Array }; gives: PreviewBody };
}

export type ReaderKind = keyof ReaderWork;
export type ReaderJob = { [Kind in ReaderKind]: { kind: Kind } & ReaderWork[Kind]['needs'] }[ReaderKind];
export type ReaderResult = ReaderWork[ReaderKind]['gives'];

/** Performs a job in the current thread. */
export async function perform(job: ReaderJob, registry: Registry): Promise<ReaderResult> {
  switch (job.kind) {
    case 'read':
      return readUpload(job.text, job.format);
    case 'inline':
      return readInline(job.text, job.format, job.overrides);
    case 'problems':
      return problemsOfUpload(job.text, job.format, registry);
    case 'check':
      return checkUpload(job.text, job.format, registry);
    case 'mask':
      return maskedText(job.text, job.format);
    case 'keep':
      return keepSecrets(job.sent, job.stored);
    case 'diff':
      return diffConfigs(rootOf(job.from), rootOf(job.to));
    case 'runBody':
      return readRunBody(job.bytes);
    case 'previewBody':
      return readPreviewBody(job.bytes);
  }
}

/** Returns the number of characters that a job reads. */
export function charactersOf(job: ReaderJob): number {
  if (job.kind === 'diff') return job.from.text.length + job.to.text.length;
  if (job.kind === 'keep') return job.sent.text.length + job.stored.text.length;
  if ('bytes' in job) return job.bytes.length;
  return job.text.length + (job.kind === 'inline' ? (job.overrides?.length ?? 0) : 0);
}

/** Reads a stored text. It was readable when it was stored, so an error is a bug. */
function rootOf({ text, format }: ConfigText) {
  const { root } = readUpload(text, format);
  if (root === undefined) throw new Error('A stored config cannot be read');
  return root;
}
