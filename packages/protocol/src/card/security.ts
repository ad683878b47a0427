/** Security: 1.0 wraps a scheme by its kind and spells requirements out; 0.3 follows OpenAPI's flat `type`. */
import type { SecurityRequirement, SecurityScheme } from '../model/agent-card.js';
import type { SecuritySchemeV03, SecurityV03 } from './types.js';

export function schemeToV03(scheme: SecurityScheme): SecuritySchemeV03 {
  if ('apiKeySecurityScheme' in scheme) {
    const { location, ...rest } = scheme.apiKeySecurityScheme;
    return { type: 'apiKey', ...rest, in: location };
  }
  if ('httpAuthSecurityScheme' in scheme) return { type: 'http', ...scheme.httpAuthSecurityScheme };
  if ('oauth2SecurityScheme' in scheme) return { type: 'oauth2', ...scheme.oauth2SecurityScheme };
  if ('openIdConnectSecurityScheme' in scheme) return { type: 'openIdConnect', ...scheme.openIdConnectSecurityScheme };
  return { type: 'mutualTLS', ...scheme.mtlsSecurityScheme };
}

export function securityToV03(requirements: readonly SecurityRequirement[] | undefined): SecurityV03 | undefined {
  return requirements?.map(({ schemes }) =>
    Object.fromEntries(Object.entries(schemes).map(([name, { list }]) => [name, list])),
  );
}

/** The name that 0.1 has for a scheme: those of HTTP authentication, tokens of any origin being bearer tokens. */
export function schemeToV01(scheme: SecurityScheme): string {
  if ('httpAuthSecurityScheme' in scheme) return scheme.httpAuthSecurityScheme.scheme.toLowerCase();
  if ('apiKeySecurityScheme' in scheme) return 'apiKey';
  return 'mtlsSecurityScheme' in scheme ? 'mutualTLS' : 'bearer';
}
