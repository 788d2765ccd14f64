import { escapeControls } from '@headrace/engine/plain-text';
import type { Labels, MetricFamily } from './families.ts';

export const PROMETHEUS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Returns families in the Prometheus text format. */
export function prometheusText(families: Iterable<MetricFamily>): string {
  const lines: string[] = [];
  for (const family of families) {
    const { name, help, type } = family;
    lines.push(`# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`, `# TYPE ${name} ${type}`);
    for (const { suffix = '', labels, value } of family.samples()) {
      lines.push(`${name}${suffix}${labelText(labels)} ${number(value)}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

function labelText(labels: Labels): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${escapeValue(value)}"`);
  return parts.length === 0 ? '' : `{${parts.join(',')}}`;
}

function escapeValue(value: string): string {
  const escaped = value.replace(/[^\n]+/g, escapeControls);
  return escaped.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function number(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  if (value === Number.NEGATIVE_INFINITY) return '-Inf';
  return String(value);
}
