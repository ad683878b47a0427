/** The reason for refusing a token, for the log and for the caller's text. */
export type TokenRefusal =
  | 'malformed'
  | 'issuer'
  | 'header'
  | 'type'
  | 'key'
  | 'signature'
  | 'expired'
  | 'not yet valid'
  | 'lifetime'
  | 'audience'
  | 'claims'
  | 'tenant'
  | 'user token'
  | 'client'
  | 'sender constraint'
  | 'proof';

/** The settings behind each refusal, for operators. */
export const REFUSAL_SETTINGS: Partial<Readonly<Record<TokenRefusal, string>>> = {
  issuer: 'JWT_ISSUER, auth.issuers',
  header: 'JWT_PROFILE',
  type: 'JWT_PROFILE',
  audience: 'JWT_AUDIENCE',
  claims: 'JWT_PROFILE',
  tenant: 'JWT_TENANT, JWT_TENANT_CLAIM',
};

const INVALID = 'The access token is not valid';

/** Texts for the caller: they never repeat the token, and do not distinguish a wrong key from a wrong algorithm. */
export const REFUSAL_TEXT: Readonly<Record<TokenRefusal, string>> = {
  malformed: 'The access token is malformed',
  issuer: 'The access token is not from an issuer that this service accepts',
  header: INVALID,
  type: 'The token is not an access token',
  key: INVALID,
  signature: INVALID,
  expired: 'The access token has expired',
  'not yet valid': 'The access token is not valid yet',
  lifetime: 'The access token is valid for longer than this service allows',
  audience: 'The access token is not meant for this service',
  claims: 'The access token lacks a claim that this service needs, or has it in the wrong form',
  tenant: 'The access token names no tenant of this service',
  client: 'The access token names a client that is known by an API key',
  'user token': 'This service takes tokens of clients only, not of their users',
  'sender constraint': 'The access token is bound to its sender and was sent without the proof',
  proof: 'The proof of possession is missing or not valid',
};
