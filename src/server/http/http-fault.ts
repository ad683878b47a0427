import { A2AError, type A2AErrorDetails, type A2AErrorName } from '@parley/protocol/model/errors.js';

/** A fault of which HTTP knows more than the protocol does: a status of its own, and the headers that belong to it. */
export class HttpFault extends A2AError {
  constructor(
    kind: A2AErrorName,
    message: string,
    readonly httpStatus: number,
    readonly headers: Readonly<Record<string, string>> = {},
    details: A2AErrorDetails = {},
  ) {
    super(kind, message, details);
  }
}

/** A change of what has changed meanwhile (RFC 9110 §15.5.10). */
export function conflict(error: A2AError): HttpFault {
  const { kind, message, metadata } = error;
  return new HttpFault(kind, message, 409, {}, { metadata, cause: error });
}

/** An unknown path (A2A-REST-07). */
export function unknownPath(): HttpFault {
  return new HttpFault('MethodNotFound', 'There is nothing at this path', 404);
}

/** A path that is served, but not with this method (RFC 9110 §15.5.6). */
export function methodNotAllowed(allowed: readonly string[]): HttpFault {
  const allow = allowed.join(', ');
  return new HttpFault('MethodNotFound', `This path takes ${allow} only`, 405, { allow });
}

/** A body of a type that no binding reads (A2A-REST-07). */
export function unsupportedMediaType(): HttpFault {
  const message = 'The content type is not supported: send application/json or application/a2a+json';
  return new HttpFault('ContentTypeNotSupported', message, 415, { accept: 'application/json, application/a2a+json' });
}

/** A body that is compressed: none is unpacked, so that none can burst (RFC 9110 §15.5.16). */
export function unsupportedEncoding(): HttpFault {
  const message = 'The content encoding is not supported: send the body uncompressed';
  return new HttpFault('ContentTypeNotSupported', message, 415, { 'accept-encoding': 'identity' });
}

/** A request that is not HTTP as it should be: its target cannot be decoded, its body ends too early. */
export function malformed(status = 400): HttpFault {
  return new HttpFault('InvalidRequest', 'The request is malformed', status);
}
