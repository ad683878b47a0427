import { CONSOLE_SCOPES } from '../../auth/scopes.js';
import { defineFeature } from '../../http/binding/feature.js';
import { PlaygroundModule } from './playground.module.js';

/** The playground of other agents: a part of the console. */
export const playgroundFeature = defineFeature({
  name: 'playground',
  scopes: {
    [CONSOLE_SCOPES.tryAgents]: 'Have this service call other agents, and hold a bin for webhooks, from the playground',
  },
  consoleApi: ({ keyPrefix, ownership, allow }, base, { remote }) =>
    PlaygroundModule.forRoot({ keyPrefix, ownership, allow: allow() }, base, remote),
});
