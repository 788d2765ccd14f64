/** The exports that other packages need to serve and document metrics. */
export { COMPONENT_METRICS } from './component-metrics.ts';
export { readFamily } from './families.ts';
export { NoticeTotals } from './notice-totals.ts';
export { PROMETHEUS_CONTENT_TYPE, prometheusText } from './prometheus-text.ts';
