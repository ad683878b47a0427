import { Injectable } from '@nestjs/common';
import { type Attributes, SpanKind } from '@opentelemetry/api';
import { Metrics } from '../platform/metrics/metrics.js';
import { genAiAttributes } from '../platform/tracing/gen-ai.js';
import { traced } from '../platform/tracing/traced.js';
import { ModelFault } from '@parley/sdk/model/model-fault.js';
import type { ModelBudgetSpent } from '@parley/sdk/model/model-budget.js';
import type { ModelObserver } from '@parley/sdk/model/model.js';
import type { ModelPort, ModelReply, ModelRequest } from '@parley/sdk/model/model.port.js';
import { recordAnswer, recordPrompts } from './model-content.js';

/** The providers as the conventions name them; those of other names speak the API of OpenAI. */
const PROVIDERS: Readonly<Record<string, string>> = {
  anthropic: 'anthropic',
  google: 'gcp.gemini',
  bedrock: 'aws.bedrock',
};
const OPENAI = 'openai';
/** Parts of a budget. */
const PARTS = [0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1];
/** Buckets in seconds; long answers take minutes. */
const MODEL_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** Counts, times and traces calls of models, without prompts and answers. */
@Injectable()
export class ModelMetrics implements ModelObserver {
  private readonly calls;
  private readonly tokens;
  private readonly cost;
  private readonly refusals;
  private readonly failovers;
  private readonly tenantParts;
  private readonly seconds;
  private readonly firstSeconds;

  constructor(metrics: Metrics) {
    this.calls = metrics.counter('a2a_model_calls_total', 'Calls of language models.', ['model', 'outcome']);
    const tokens = 'Tokens of language models, in (prompts), cached (those of them in a cache) and out (answers).';
    this.tokens = metrics.counter('a2a_model_tokens_total', tokens, ['model', 'direction']);
    const cost = 'Cost of language models, by the prices of MODELS_FILE, or models.priceIn and models.priceOut.';
    this.cost = metrics.counter('a2a_model_cost_total', cost, ['model']);
    const refusals = 'Calls of language models that a budget has refused or stopped, by the budget.';
    this.refusals = metrics.counter('a2a_model_budget_refusals_total', refusals, ['limit']);
    const failovers = 'Models that were asked in vain before another one has answered, by the reason.';
    this.failovers = metrics.counter('a2a_model_failovers_total', failovers, ['model', 'reason']);
    const part =
      'Part of its daily budget of language models that a tenant has used, from 0 to 1, at each of its calls.';
    this.tenantParts = metrics.histogram('a2a_model_tenant_budget_ratio', part, { buckets: PARTS });
    const labels = ['model'] as const;
    const seconds = { labels, buckets: MODEL_SECONDS };
    this.seconds = metrics.histogram('a2a_model_call_duration_seconds', 'Duration of a call of a model.', seconds);
    const first = 'Seconds from a call of a model to the first piece of its text.';
    this.firstSeconds = metrics.histogram('a2a_model_first_piece_seconds', first, seconds);
  }

  /** The span has the attributes of OpenTelemetry's conventions for generative AI. */
  observed(
    { name: model }: ModelPort,
    request: ModelRequest,
    call: (onPiece: () => void) => Promise<ModelReply>,
  ): Promise<ModelReply> {
    const attributes = {
      ...{ 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': model },
      ...(request.maxTokens === undefined ? {} : { 'gen_ai.request.max_tokens': request.maxTokens }),
      ...genAiAttributes('chat', { 'gen_ai.provider.name': OPENAI }),
    };
    return traced(
      `chat ${model}`,
      () => ({ kind: SpanKind.CLIENT, attributes }),
      async (span) => {
        recordPrompts(span, request.messages);
        const reply = await this.timed(model, call);
        recordAnswer(span, reply);
        span.setAttributes(responseAttributes(reply));
        return reply;
      },
    );
  }

  refused(limit: ModelBudgetSpent['limit']): void {
    this.refusals.inc({ limit });
  }

  reserved(ofTenant: number): void {
    this.tenantParts.observe(ofTenant);
  }

  failedOver(model: string, reason: string): void {
    this.failovers.inc({ model, reason });
  }

  private async timed(model: string, call: (onPiece: () => void) => Promise<ModelReply>): Promise<ModelReply> {
    const began = performance.now();
    const passed = (): number => (performance.now() - began) / 1000;
    let isFirst = true;
    let outcome = 'failed';
    try {
      const reply = await call(() => {
        if (isFirst) this.firstSeconds.observe({ model }, passed());
        isFirst = false;
      });
      outcome = reply.finish;
      this.count(model, reply);
      return reply;
    } catch (error) {
      // Its turn waits, and asks again.
      if (error instanceof ModelFault && error.kind === 'rate') outcome = 'delayed';
      throw error;
    } finally {
      this.calls.inc({ model, outcome });
      this.seconds.observe({ model }, passed());
    }
  }

  private count(model: string, { usage: { input, output, cached = 0 }, micros = 0 }: ModelReply): void {
    this.tokens.inc({ model, direction: 'in' }, input);
    this.tokens.inc({ model, direction: 'cached' }, cached);
    this.tokens.inc({ model, direction: 'out' }, output);
    this.cost.inc({ model }, micros / 1_000_000);
  }
}

/** What is known once a model has answered. */
function responseAttributes({ usage, finish, model, provider = '' }: ModelReply): Attributes {
  const { input, output, cached, reasoning } = usage;
  return {
    'gen_ai.usage.input_tokens': input,
    'gen_ai.usage.output_tokens': output,
    'gen_ai.response.finish_reasons': [finish],
    ...genAiAttributes('chat', {
      'gen_ai.provider.name': PROVIDERS[provider] ?? OPENAI,
      ...(model === undefined ? {} : { 'gen_ai.response.model': model }),
      ...(cached === undefined ? {} : { 'gen_ai.usage.cache_read.input_tokens': cached }),
      ...(reasoning === undefined ? {} : { 'gen_ai.usage.reasoning.output_tokens': reasoning }),
    }),
  };
}
