/** The exports that other packages need to serve and document metrics. */
export { COMPONENT_METRICS } from './component-metrics.ts';
export { readFamily } from './families.ts';
export { PROMETHEUS_CONTENT_TYPE, prometheusText } from './prometheus-text.ts';
