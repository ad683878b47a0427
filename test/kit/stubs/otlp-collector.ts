import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Value = string | number | boolean;

/** One span as it was exported. */
export interface ReceivedSpan {
  readonly service: Readonly<Record<string, Value>>;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly traceState: string | undefined;
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  readonly attributes: Readonly<Record<string, Value>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly failed: boolean;
  readonly ms: number;
}

interface KeyValue {
  readonly key: string;
  readonly value: { stringValue?: string; intValue?: number | string; boolValue?: boolean; doubleValue?: number };
}

interface ExportRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeSpans: readonly { readonly spans: readonly ExportedSpan[] }[];
  }[];
}

interface ExportedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly KeyValue[];
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status: { readonly code?: number };
}

/** As the protocol numbers them; 0 is "not said". */
const KINDS = ['internal', 'internal', 'server', 'client', 'producer', 'consumer'] as const;
const FAILED = 2;

/** A collector for traces: takes OTLP over HTTP in JSON, and keeps every span. Protobuf it keeps as it came. */
export class OtlpCollector {
  readonly spans: ReceivedSpan[] = [];
  /** Bodies in protobuf. */
  readonly binary: Buffer[] = [];
  private readonly server = createServer((request, response) => void this.take(request, response));

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  trace(traceId: string): readonly ReceivedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    if (request.method !== 'POST' || request.url !== '/v1/traces') {
      response.writeHead(404).end();
      return;
    }
    const type = request.headers['content-type'] ?? '';
    if (type === 'application/json') this.spans.push(...spansOf(JSON.parse(body.toString()) as ExportRequest));
    else this.binary.push(body);
    response.writeHead(200, { 'content-type': type }).end(type === 'application/json' ? '{}' : '');
  }
}

function spansOf({ resourceSpans }: ExportRequest): readonly ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = valuesOf(resource.attributes);
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => received(span, service)));
  });
}

function received(span: ExportedSpan, service: Readonly<Record<string, Value>>): ReceivedSpan {
  const { traceId, spanId, parentSpanId, traceState, name, links } = span;
  const ms = Number(BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1e6;
  return {
    ...{ service, traceId, spanId, parentSpanId, traceState, name, links, ms },
    kind: KINDS[span.kind] ?? 'internal',
    attributes: valuesOf(span.attributes),
    failed: span.status.code === FAILED,
  };
}

function valuesOf(attributes: readonly KeyValue[]): Readonly<Record<string, Value>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)]));
}

function valueOf({ stringValue, intValue, boolValue, doubleValue }: KeyValue['value']): Value {
  return stringValue ?? boolValue ?? doubleValue ?? Number(intValue);
}
