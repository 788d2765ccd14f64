/** The exports that other packages need to serve metrics. */
export { readFamily } from './families.ts';
export { PROMETHEUS_CONTENT_TYPE, prometheusText } from './prometheus-text.ts';
