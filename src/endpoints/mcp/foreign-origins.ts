import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { A2AError } from '@parley/protocol/model/errors.js';
import { isLoopbackHost } from '../../auth/incoming/loopback.js';
import { pathOf } from '../../http/request/request-headers.js';
import type { McpOptions } from './call/mcp.options.js';
import { MCP_PATH } from './mcp-faults.js';

const CORS_METHODS = 'GET, POST, DELETE, OPTIONS';
const CORS_EXPOSED = 'WWW-Authenticate, Mcp-Session-Id';
const CORS_HEADERS =
  'Authorization, Content-Type, Accept, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, X-API-Key';

/**
 * A Fastify `onRequest` hook for the MCP endpoint (MCP-AUTH-4): refuses web pages of other origins before any read, and
 * on loopback a foreign name in `Host` (DNS rebinding). Answers preflights of allowed pages.
 */
export function refuseForeignOrigins(
  options: Pick<McpOptions, 'allowedOrigins' | 'isLoopback' | 'publicHosts'>,
): onRequestHookHandler {
  return (request, reply, done) => {
    if (pathOf(request) !== MCP_PATH) {
      done();
      return;
    }
    const { origin } = request.headers;
    if (!isHostOurs(request, options) || !isOriginAllowed(origin, options)) {
      done(new A2AError('PermissionDenied', 'The origin of this request is not allowed: see MCP_ALLOWED_ORIGINS'));
      return;
    }
    if (origin !== undefined) allowPage(origin, reply);
    if (request.method === 'OPTIONS') void reply.status(204).send();
    else done();
  };
}

function isHostOurs(
  { headers: { host } }: FastifyRequest,
  { isLoopback, publicHosts }: Pick<McpOptions, 'isLoopback' | 'publicHosts'>,
): boolean {
  if (!isLoopback || host === undefined || publicHosts.includes(host.toLowerCase())) return true;
  return isLoopbackHost(host.replace(/:\d*$/, ''));
}

function isOriginAllowed(
  origin: string | undefined,
  { allowedOrigins, isLoopback }: Pick<McpOptions, 'allowedOrigins' | 'isLoopback'>,
): boolean {
  if (origin === undefined || allowedOrigins.includes(origin)) return true;
  return isLoopback && URL.canParse(origin) && isLoopbackHost(new URL(origin).hostname);
}

function allowPage(origin: string, reply: FastifyReply): void {
  void reply.headers({
    'access-control-allow-origin': origin,
    'access-control-allow-methods': CORS_METHODS,
    'access-control-allow-headers': CORS_HEADERS,
    'access-control-expose-headers': CORS_EXPOSED,
    vary: 'Origin',
  });
}
