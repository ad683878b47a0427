import { CONSOLE_API, WEBHOOKS_API } from '../../../src/admin/console/console.module.js';
import { routesOf } from '../checks/controller-routes.js';

/** Every route of the console's API. */
export const CONSOLE_ROUTES = routesOf([...CONSOLE_API, ...WEBHOOKS_API]);
