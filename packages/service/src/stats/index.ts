/** The exports that other packages need to serve and document metrics. */
export { COMPONENT_METRICS, familiesOfStages } from './component-metrics.ts';
export { type MetricFamily, readFamily } from './families.ts';
export { NoticeTotals } from './notice-totals.ts';
export { PROMETHEUS_CONTENT_TYPE, prometheusText } from './prometheus-text.ts';
export { DOCUMENT_METRICS } from './run-metrics.ts';
