import { type ExpectedFailure, type PipelineTest, type PreviewedDocument, withHint } from '@headrace/engine';
import { documentDiff } from './document-diff.ts';

/** Returns the differences from the expected outcome of a test as lines for people, or undefined if there are none. */
export function checkOutcome(test: PipelineTest, results: readonly PreviewedDocument[]): string[] | undefined {
  const { expected, ignore } = test;
  const documents = results.flatMap((result) => result.documents);
  const dropped = results.flatMap((result) => result.dropped);
  const difference = documentDiff(expected.documents, documents, ignore);
  const findings = [
    ...(difference === undefined ? [] : ['out: expected (-), got (+)', ...difference]),
    ...idFindings(expected.dropped, dropped),
    ...failureFindings(expected.failed, results),
  ];
  return findings.length === 0 ? undefined : findings;
}

function idFindings(expected: readonly string[], dropped: readonly string[]): string[] {
  return [
    ...without(expected, dropped).map((id) => `dropped: ${id} was not dropped`),
    ...without(dropped, expected).map((id) => `dropped: ${id} was dropped, which the test does not expect`),
  ];
}

/** Returns the ids that are in the first list but not in the second one. Duplicate ids count separately. */
function without(ids: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return ids.filter((id) => {
    const at = left.indexOf(id);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

function failureFindings(expected: readonly ExpectedFailure[], results: readonly PreviewedDocument[]): string[] {
  const failed = results.flatMap(({ input, failure }) =>
    failure === undefined ? [] : [{ id: (JSON.parse(input) as { id: string }).id, ...failure }],
  );
  const findings: string[] = [];
  for (const { id, at, code, message } of expected) {
    const i = failed.findIndex((failure) => failure.id === id);
    const [failure] = i < 0 ? [] : failed.splice(i, 1);
    if (failure === undefined) {
      findings.push(`failed: ${id} did not fail`);
      continue;
    }
    const found = `${failure.code} at ${failure.stage}: ${withHint(failure)}`;
    if (at !== undefined && at !== failure.stage)
      findings.push(`failed: ${id} failed at another stage than ${at}: ${found}`);
    if (code !== undefined && code !== failure.code)
      findings.push(`failed: ${id} failed with another code than ${code}: ${found}`);
    if (message !== undefined && !withHint(failure).includes(message)) {
      findings.push(`failed: the message for ${id} does not contain "${message}": ${found}`);
    }
  }
  const unexpected = failed.map(
    ({ id, stage, ...failure }) => `failed: ${id} failed at ${stage}: ${withHint(failure)}`,
  );
  return [...findings, ...unexpected];
}
