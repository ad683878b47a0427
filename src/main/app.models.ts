import type { Environment } from './app.environment.js';
import type { ModelOptions } from '../models/model.options.js';
import { guardedTransport } from '../models/openai/guarded-transport.js';
import { OpenAiModel } from '../models/openai/openai.model.js';
import { RulesModel } from '@parley/sdk/model/rules/rules.model.js';

/** The model of MODEL_URL; without one, a rule-based one. */
export function modelSettings(environment: Environment): ModelOptions {
  const { MODEL_URL: url, MODEL_NAME: model = '', MODEL_KEY: key } = environment;
  const { turnTokens, turnCalls, priceIn, priceOut } = environment.models;
  const port =
    url === undefined
      ? new RulesModel()
      : new OpenAiModel({ url, model, ...(key === undefined ? {} : { key }) }, guardedTransport(url));
  return {
    port,
    limits: { maxTokens: turnTokens, maxCalls: turnCalls },
    priceIn,
    priceOut,
  };
}
