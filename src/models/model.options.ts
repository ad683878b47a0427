import type { ModelLimits } from '@parley/sdk/model/model-budget.js';
import type { ModelPort } from '@parley/sdk/model/model.port.js';
import type { BookSource } from './choice/model-book.js';

/** The models of the service, and the limits of their calls. */
export interface ModelOptions {
  /** In place of the models of `source`: rules, or the model of an embedding program. */
  readonly port?: ModelPort;
  readonly source?: BookSource;
  readonly limits: ModelLimits;
}

export const ModelOptions = Symbol('ModelOptions');
