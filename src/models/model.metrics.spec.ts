import { describe, expect, it } from '@jest/globals';
import { ModelFault } from '@parley/sdk/model/model-fault.js';
import { scripted } from '@parley/sdk/model/scripted/scripted.model.js';
import { Metrics } from '../platform/metrics/metrics.js';
import { ModelMetrics } from './model.metrics.js';

describe(ModelMetrics.name, () => {
  it.each([
    ['rate', 'delayed'],
    ['unavailable', 'failed'],
  ] as const)('counts a call with the fault %s as %s (LLM-18)', async (kind, outcome) => {
    const metrics = new Metrics();
    const failing = () => Promise.reject(new ModelFault(kind, 'scripted'));
    const observed = new ModelMetrics(metrics).observed(scripted(), { messages: [] }, failing);
    await expect(observed).rejects.toMatchObject({ kind });
    expect(await metrics.registry.metrics()).toContain(
      `a2a_model_calls_total{model="scripted",outcome="${outcome}"} 1`,
    );
  });
});
