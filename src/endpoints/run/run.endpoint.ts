import { intentsExtension } from '../../operations/intents/intents-extension.js';
import { defineEndpoint } from '../../http/binding/endpoint.js';
import { RUN_HEAD_FAULTS } from './run-faults.js';
import { runOpenApi } from './run-openapi.js';
import { RunModule } from './run.module.js';

/** `POST /run`: intents over plain HTTP. */
export const runEndpoint = defineEndpoint({
  name: 'run',
  faults: RUN_HEAD_FAULTS,
  card: intentsExtension,
  openApi: runOpenApi,
  module: (_start, { binding }) => RunModule.forRoot(binding),
});
