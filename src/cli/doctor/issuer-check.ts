import { type AuthSettings, authOptionsOf } from '../../security/auth/auth-settings.js';
import { GuardedHttpGet } from '../../security/auth/token/guarded.http-get.js';
import type { IssuerOptions } from '../../security/auth/token/issuer-options.js';
import { JwksSource } from '../../security/auth/token/jwks.source.js';
import { type Finding, fine } from './finding.js';

/** Whether callers' tokens can be checked: the settings hold together, and each issuer gives its keys. */
export async function checkIssuers(settings: AuthSettings, publicUrl: string): Promise<readonly Finding[]> {
  let issuers: readonly IssuerOptions[];
  try {
    ({ issuers } = authOptionsOf(settings, publicUrl));
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return [{ check: 'callers', severity: 'fail', text, mend: 'Change the variable that is named' }];
  }
  if (issuers.length === 0) return [fine('callers', 'No issuer of tokens is configured')];
  return Promise.all(issuers.map(checkIssuer));
}

async function checkIssuer(options: IssuerOptions): Promise<Finding> {
  try {
    const keys = await new JwksSource(options, new GuardedHttpGet([options])).load();
    if (keys.size > 0) return fine('callers', `${options.issuer} gives its keys`);
    const text = `${options.issuer} gives no key that tokens can be checked with: every token is refused`;
    const mend = 'Let it publish a signing key (RSA of 2048 bits or more, or EC), or correct JWKS_URI';
    return { check: 'callers', severity: 'fail', text, mend };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const text = `The keys of ${options.issuer} cannot be had: ${reason}`;
    return { check: 'callers', severity: 'fail', text, mend: 'Correct JWT_ISSUER or JWKS_URI, or open the way to it' };
  }
}
