/** Where the service has the console. */
export const BASE = '/console';
