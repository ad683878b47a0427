import { processVariables } from '../config/variables/process-variables.js';

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

/** Our fields and those of the protocol that hold secrets. */
const FIELDS = ['credentials', 'token', 'secret', 'password', 'apiKey', 'accessToken', 'signingSecret'];

/** Paths at which headers may occur in a log line. */
const HEADER_PARENTS = [
  'headers',
  'req.headers',
  'res.headers',
  'request.headers',
  'response.headers',
  'err.headers',
  'error.headers',
];

/**
 * Paths that pino removes from every line (`redact`), after its serializers (A2A-SEC-07). Never a path with a wildcard:
 * pino's redaction then throws out of the log call itself on a line that holds a URL or a Buffer.
 */
export const REDACTED_PATHS: readonly string[] = [
  ...HEADER_PARENTS.flatMap((parent) => HEADERS.map((header) => `${parent}["${header}"]`)),
  ...FIELDS.flatMap((field) => [field, `err.${field}`, `error.${field}`]),
];

const SECRET_NAMES = new Set([...HEADERS, ...FIELDS].map((name) => name.toLowerCase()));
const MAX_DEPTH = 8;

/**
 * The fields of a line without secrets, which are recognised by name at any depth: pino's `formatters.log`. Walks plain
 * objects and lists only; class instances are left to pino's serializers and paths.
 */
export function withoutSecrets(fields: Record<string, unknown>): Record<string, unknown> {
  return redacted(fields, MAX_DEPTH);
}

function redacted(fields: object, depth: number): Record<string, unknown> {
  const entries = Object.entries(fields).map(([name, value]: [string, unknown]) => {
    const isSecret = SECRET_NAMES.has(name.toLowerCase()) && value !== undefined;
    return [name, isSecret ? '[Redacted]' : redactedValue(value, depth)] as const;
  });
  return Object.fromEntries(entries);
}

function redactedValue(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return '[Deep]';
  if (Array.isArray(value)) return value.map((item: unknown) => redactedValue(item, depth - 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null ? redacted(value, depth - 1) : value;
}

/** A URL, or a path with query, safe for a log: tokens hide in queries, passwords before the host. */
export function loggableUrl(url: string): string {
  return url.replace(/[?#].*$/s, '').replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, '$1');
}

/** Secrets recognised by their shape, anywhere in a text. */
const SECRET_TEXTS: readonly (readonly [shape: RegExp, shown: string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*-----|$)/g, '[Redacted]'],
  [/([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/@]{1,500}@/gi, '$1[Redacted]@'],
  [/\b(bearer|basic|dpop)\s+[\w.~+/=-]{6,}/gi, '$1 [Redacted]'],
  [/\beyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?/g, '[Redacted]'],
  [/\b(?:sk|pk|rk|ghp|gho|ghs|ghu|github_pat|xox[abeprs]|AKIA|ASIA|AIza|glpat|hf)[-_A-Za-z0-9]{10,}/g, '[Redacted]'],
  [
    /((?:pass(?:word|wd|phrase)?|pwd|secret|token|api[-_ ]?key|credentials?|authorization|cookie|signature|private[-_ ]?key)["']?\s{0,3}[:=]\s{0,3})(?:"[^"]*"|'[^']*'|[^\s,;&})]+)/gi,
    '$1[Redacted]',
  ],
];
const SECRET_VARIABLE = /KEY|SECRET|TOKEN|PASSWORD|PASSWD|CREDENTIAL/i;
/** Shorter values of variables occur in texts by chance. */
const MIN_SECRET = 8;

/**
 * An error text without apparent secrets and without the values of secret environment variables. Linear in the text.
 */
export function withoutSecretTexts(text: string): string {
  const known = Object.entries(processVariables()).flatMap(([name, value = '']) =>
    SECRET_VARIABLE.test(name) && value.length >= MIN_SECRET ? [value] : [],
  );
  const unnamed = known.reduce((rest, value) => rest.replaceAll(value, '[Redacted]'), text);
  return SECRET_TEXTS.reduce((rest, [shape, shown]) => rest.replace(shape, shown), unnamed);
}
