import type { ConsoleLogin } from './console.options.js';

/**
 * The Content-Security-Policy of the console's page: scripts and styles of this service only, none of them inline, no frames,
 * no HTML made of text (Trusted Types without a policy), and requests to this service and the issuer.
 */
export function consolePolicy(login: ConsoleLogin): string {
  const issuer = login.kind === 'code' ? ` ${new URL(login.issuer).origin}` : '';
  return [
    "default-src 'none'",
    ...["script-src 'self'", "style-src 'self'", "font-src 'self'", "img-src 'self' blob:"],
    `connect-src 'self'${issuer}`,
    ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
    ...["require-trusted-types-for 'script'", "trusted-types 'none'"],
  ].join('; ');
}
