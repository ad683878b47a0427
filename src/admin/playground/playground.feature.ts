import { defineFeature } from '../../http/binding/feature.js';
import { PlaygroundModule } from './playground.module.js';

/** The playground of other agents: a part of the console. */
export const playgroundFeature = defineFeature({
  name: 'playground',
  consoleApi: ({ keyPrefix, ownership, allow }, base, { remote }) =>
    PlaygroundModule.forRoot({ keyPrefix, ownership, allow: allow() }, base, remote),
});
