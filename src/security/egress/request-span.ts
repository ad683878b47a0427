import { type Span, SpanKind, type SpanOptions, SpanStatusCode } from '@opentelemetry/api';

/** A request in the words of OpenTelemetry's HTTP conventions. The path and the query may be secrets, and stay out. */
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

/** Every answer but a good one fails the span of a client. */
export function describeResponse(span: Span, status: number): void {
  span.setAttribute('http.response.status_code', status);
  if (status >= 400) span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', String(status));
}
