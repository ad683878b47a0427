import { intentsExtension } from '../../operations/intents/intents-extension.js';
import { defineFeature } from '../../http/binding/feature.js';
import { RUN_HEAD_FAULTS } from './run-faults.js';
import { runOpenApi } from './run-openapi.js';
import { RunModule } from './run.module.js';

/** `POST /run`: intents over plain HTTP. */
export const runFeature = defineFeature({
  name: 'run',
  faults: RUN_HEAD_FAULTS,
  card: intentsExtension,
  openApi: runOpenApi,
  module: (_start, { binding }) => binding && RunModule.forRoot(binding),
});
