/** The value below which a share of all lies; 0 of nothing. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

/** Count, median, 95th and 99th percentile and the longest, in the unit of the values. */
export function spread(values: readonly number[]): Readonly<Record<'count' | 'p50' | 'p95' | 'p99' | 'max', number>> {
  return {
    count: values.length,
    ...{ p50: percentile(values, 0.5), p95: percentile(values, 0.95), p99: percentile(values, 0.99) },
    max: percentile(values, 1),
  };
}
