/** Headers that carry credentials or signatures. */
const HEADERS = [
  'authorization',
  'proxy-authorization',
  'dpop',
  'cookie',
  'set-cookie',
  'x-api-key',
  'x-a2a-notification-token',
  'a2a-notification-token',
  'x-agent-signature',
  'webhook-signature',
  'ssl-client-cert',
];

/** Fields of ours and of the protocol that hold secrets. */
const FIELDS = ['credentials', 'token', 'secret', 'password', 'apiKey', 'accessToken', 'signingSecret'];

/** Where headers and fields may stand in a line of the log. */
const HEADER_PARENTS = ['headers', 'req.headers', 'res.headers', 'request.headers', 'response.headers'];
const FIELD_PARENTS = ['', '*.', '*.*.', '*.*.*.'];

/** Paths that pino takes out of every line (`redact`), so that a careless log call tells no secret (A2A-SEC-07). */
export const REDACTED_PATHS: readonly string[] = [
  ...HEADER_PARENTS.flatMap((parent) => HEADERS.map((header) => `${parent}["${header}"]`)),
  ...FIELD_PARENTS.flatMap((parent) => FIELDS.map((field) => parent + field)),
];
