import { defineFeature } from '../../http/binding/feature.js';
import { bearerKeys } from './bearer-keys.js';
import { OPENAI_HEAD_FAULTS } from './openai-faults.js';
import { OpenAiModule } from './openai.module.js';
import { OpenAiSettings } from './openai.settings.js';

/** Clients of OpenAI's API at `/openai/v1`. */
export const openAiFeature = defineFeature({
  name: 'openai',
  title: "OpenAI's API",
  settings: OpenAiSettings,
  faults: OPENAI_HEAD_FAULTS,
  isOn: ({ settings }) => settings.OPENAI,
  module: ({ settings }, { binding }) => binding && OpenAiModule.forRoot(settings, binding),
  onRequest: () => bearerKeys,
});
