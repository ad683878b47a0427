import { CONSOLE_API, WEBHOOKS_API } from '../../../src/admin/console/console.module.js';
import type { Feature, FeatureParts, FeatureStart } from '../../../src/http/binding/feature.js';
import { FEATURES } from '../../../src/main/app.features.js';
import { routesOf } from '../checks/controller-routes.js';

const START = { settings: {}, keyPrefix: 'test', ownership: 'client', version: '0', allow: () => [] };
const PARTS = { runs: true, dispatches: true, webhooks: true };

/** The controllers that features have in the console's API. */
const OF_FEATURES = FEATURES.flatMap((feature: Feature) => {
  const base = { module: Object };
  const module = feature.consoleApi?.(START as unknown as FeatureStart, base, PARTS as unknown as FeatureParts);
  return module?.controllers ?? [];
});

/** Every route of the console's API. */
export const CONSOLE_ROUTES = routesOf([...CONSOLE_API, ...WEBHOOKS_API, ...OF_FEATURES]);
