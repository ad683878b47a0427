import type { ConsoleLogin } from '../console.options.js';

/**
 * The Content-Security-Policy of the console's page: scripts and styles of this service only, none of them inline, no
 * frames, no HTML made of text (the one policy of Trusted Types lets the thread of the PDF preview start), and requests
 * to this service and the issuer.
 */
export function consolePolicy(login: ConsoleLogin): string {
  const issuer = login.kind === 'code' ? ` ${new URL(login.issuer).origin}` : '';
  return [
    "default-src 'none'",
    ...["script-src 'self'", "style-src 'self'", "font-src 'self'", "img-src 'self' blob:"],
    `connect-src 'self'${issuer}`,
    ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
    ...["require-trusted-types-for 'script'", 'trusted-types parley'],
  ].join('; ');
}

/**
 * The policy of its files, which the thread that reads PDFs has from its script: it may load scripts of this service,
 * and no more.
 */
export const ASSET_POLICY = "default-src 'none'; script-src 'self'";
