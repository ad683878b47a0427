import { defineFeature } from '../../http/binding/feature.js';
import { OperatorModule } from './operator.module.js';

/** The API of operators and of owners of webhooks. */
export const operatorFeature = defineFeature({
  name: 'operator',
  module: (_start, { binding, webhooks }) =>
    binding !== undefined && webhooks ? { module: OperatorModule } : undefined,
});
