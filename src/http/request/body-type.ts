import type { IncomingMessage } from 'node:http';
import type { FastifyRequest, onRequestHookHandler } from 'fastify';
import { HttpFault, unsupportedMediaType } from '../errors.js';

/**
 * A Fastify `onRequest` hook. Refuses two types of one body: Node keeps the first, a gateway perhaps the other (RFC
 * 9110 §5.3). Drops the type of an empty body (§8.3).
 */
export const judgeBodyType: onRequestHookHandler = (request, _reply, done) => {
  const { raw, headers } = request;
  if (headers['content-type'] !== undefined) {
    if (typesOf(raw) > 1) {
      done(new HttpFault('InvalidRequest', 'The request has more than one Content-Type', 400));
      return;
    }
    if (headers['content-length'] === '0') delete headers['content-type'];
  }
  done();
};

function typesOf({ rawHeaders }: IncomingMessage): number {
  return rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'content-type').length;
}

type Parsed = (error: Error | null, body?: unknown) => void;

/** The parser of bodies of all other types: accepts empty ones, refuses others at their first byte. */
export function refuseOtherTypes(request: FastifyRequest, payload: IncomingMessage, done: Parsed): void {
  const length = request.headers['content-length'];
  if (length !== undefined && length !== '0') {
    done(unsupportedMediaType());
    return;
  }
  const end = (error: Error | null): void => {
    payload.pause().off('data', onData).off('end', onEnd).off('error', end);
    done(error);
  };
  const onData = (): void => {
    end(unsupportedMediaType());
  };
  const onEnd = (): void => {
    end(null);
  };
  payload.on('data', onData).on('end', onEnd).on('error', end);
}
