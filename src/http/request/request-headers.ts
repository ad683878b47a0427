import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Query } from '@parley/protocol/binding/rest-query.js';
import type { StatedVersion } from '@parley/protocol/versions/version.js';

/** The stated A2A version of a request (DISP-04). */
export function versionOf(request: FastifyRequest): StatedVersion {
  return { header: headerOf(request, 'a2a-version'), query: lastOf((request.query as Query)['A2A-Version']) };
}

/** One value of a header; the first where a client sent several. */
export function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** All values of a header. */
export function headersOf(request: FastifyRequest, name: string): readonly string[] {
  const value = request.headers[name] ?? [];
  return Array.isArray(value) ? value : [value];
}

/** Releases the headers of a request whose answer may take hours. */
export function forgetHeaders(raw: IncomingMessage): void {
  raw.headers = {};
  raw.rawHeaders = [];
}

function lastOf(value: Query[string]): string | undefined {
  return typeof value === 'object' ? value.at(-1) : value;
}

/** The path of a request as read by the router (`readTarget`): percent-encoded, without the query. */
export function pathOf(request: FastifyRequest): string {
  return request.raw.url?.split('?')[0] ?? '/';
}
