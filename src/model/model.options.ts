import type { ModelLimits } from '@parley/sdk/model/model-budget.js';
import type { ModelPort } from '@parley/sdk/model/model.port.js';

/** The model of the service, and what its calls may use. */
export interface ModelOptions {
  readonly port: ModelPort;
  readonly limits: ModelLimits;
  /** Of a million tokens of prompts and of answers, in the operator's currency. */
  readonly priceIn: number;
  readonly priceOut: number;
}

export const ModelOptions = Symbol('ModelOptions');
