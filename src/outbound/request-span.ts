import { type Span, SpanKind, type SpanOptions, SpanStatusCode } from '@opentelemetry/api';

/** Span options of a request by OpenTelemetry's HTTP conventions. Path and query may be secret and are omitted. */
export function requestSpanOptions({ method, url }: { readonly method: string; readonly url: string }): SpanOptions {
  const { protocol, hostname, port, origin } = URL.canParse(url) ? new URL(url) : NOWHERE;
  return {
    kind: SpanKind.CLIENT,
    attributes: {
      'http.request.method': method,
      'server.address': hostname,
      'server.port': port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
      'url.full': origin,
    },
  };
}

const NOWHERE = { protocol: '', hostname: '', port: '', origin: '' };

/** Any status but a success marks a client span as failed. */
export function describeResponse(span: Span, status: number): void {
  span.setAttribute('http.response.status_code', status);
  if (status >= 400) span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', String(status));
}
