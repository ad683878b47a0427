import type { ModelLimits } from '@parley/sdk/model/model-budget.js';
import type { ModelPort } from '@parley/sdk/model/model.port.js';

/** The model of the service, and the limits of its calls. */
export interface ModelOptions {
  readonly port: ModelPort;
  readonly limits: ModelLimits;
  /** Price of a million tokens of prompts and of answers, in the operator's currency. */
  readonly priceIn: number;
  readonly priceOut: number;
}

export const ModelOptions = Symbol('ModelOptions');
