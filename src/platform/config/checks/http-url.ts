/** Options of `IsUrl` for addresses of services. */
export const HTTP_URL = { require_tld: false, protocols: ['http', 'https'], require_protocol: true };
