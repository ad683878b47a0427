import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Query } from '@parley/protocol/binding/rest-query.js';
import type { StatedVersion } from '@parley/protocol/versions/version.js';

/** Where a caller says which version of A2A it speaks (DISP-04). */
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

/** Lets the headers go of a request whose answer may take hours: nothing reads them any more. */
export function forgetHeaders(raw: IncomingMessage): void {
  raw.headers = {};
  raw.rawHeaders = [];
}

function lastOf(value: Query[string]): string | undefined {
  return typeof value === 'object' ? value.at(-1) : value;
}

/** The path of a request as the router reads it (`readTarget`): percent-encoded, without the query. */
export function pathOf(request: FastifyRequest): string {
  return request.raw.url?.split('?')[0] ?? '/';
}
