import type { ProtoFields } from './proto-file.js';

/** The security schemes of an agent card, whose messages 0.3 and 1.0 write alike. */
export const SECURITY_SCHEMES: Readonly<Record<string, ProtoFields>> = {
  StringList: { list: '1 string[]' },
  APIKeySecurityScheme: { description: '1 string', location: '2 string!', name: '3 string!' },
  HTTPAuthSecurityScheme: { description: '1 string', scheme: '2 string!', bearer_format: '3 string' },
  AuthorizationCodeOAuthFlow: {
    authorization_url: '1 string!',
    token_url: '2 string!',
    refresh_url: '3 string',
    scopes: '4 map string!',
  },
  ClientCredentialsOAuthFlow: { token_url: '1 string!', refresh_url: '2 string', scopes: '3 map string!' },
  ImplicitOAuthFlow: { authorization_url: '1 string', refresh_url: '2 string', scopes: '3 map string' },
  PasswordOAuthFlow: { token_url: '1 string', refresh_url: '2 string', scopes: '3 map string' },
  OAuthFlows: {
    authorization_code: '1 AuthorizationCodeOAuthFlow of flow',
    client_credentials: '2 ClientCredentialsOAuthFlow of flow',
    implicit: '3 ImplicitOAuthFlow of flow',
    password: '4 PasswordOAuthFlow of flow',
  },
  OAuth2SecurityScheme: { description: '1 string', flows: '2 OAuthFlows!', oauth2_metadata_url: '3 string' },
  OpenIdConnectSecurityScheme: { description: '1 string', open_id_connect_url: '2 string!' },
  MutualTlsSecurityScheme: { description: '1 string' },
  SecurityScheme: {
    api_key_security_scheme: '1 APIKeySecurityScheme of scheme',
    http_auth_security_scheme: '2 HTTPAuthSecurityScheme of scheme',
    oauth2_security_scheme: '3 OAuth2SecurityScheme of scheme',
    open_id_connect_security_scheme: '4 OpenIdConnectSecurityScheme of scheme',
    mtls_security_scheme: '5 MutualTlsSecurityScheme of scheme',
  },
};
