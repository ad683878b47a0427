import { context, diag, DiagLogLevel } from '@opentelemetry/api';
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { detectResources, envDetector, hostDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ConsoleSpanExporter,
  NodeTracerProvider,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-node';
import type { Tracing, TracingComplaint } from './tracing.js';
import { recordGenAi } from './gen-ai.js';
import { recordSpans } from './traced.js';
import type { TracingOptions } from './tracing.options.js';

/** While the collector is unavailable, one line a minute instead of one per batch. */
const COMPLAIN_EVERY_MS = 60_000;

/** Spans recorded by the OpenTelemetry SDK. */
export class OtelTracing implements Tracing {
  private constructor(private readonly provider: NodeTracerProvider) {}

  /**
   * Starts recording. The SDK reads its other settings from the OpenTelemetry variables: sampler, limits, batches,
   * resource. With an unreachable collector spans are lost, but the service is not delayed.
   */
  static async start(options: TracingOptions, complain: TracingComplaint): Promise<OtelTracing> {
    const lately = atMostEach(COMPLAIN_EVERY_MS, complain);
    setGlobalErrorHandler((error) => {
      lately(typeof error === 'string' ? error : (error.message ?? 'no reason given'));
    });
    diag.setLogger({ ...SILENT, error: lately, warn: lately }, DiagLogLevel.WARN);
    const own = {
      ...{ 'service.name': 'parley', 'service.version': options.version, 'parley.role': options.role },
      ...{ 'service.instance.id': options.instance, 'process.pid': process.pid },
    };
    const provider = new NodeTracerProvider({
      resource: resourceFromAttributes(own).merge(detectResources({ detectors: [hostDetector, envDetector] })),
      spanProcessors: [new BatchSpanProcessor(await exporterOf(options))],
    });
    // Foreign baggage is not propagated: only the trace context is read and sent.
    provider.register({ propagator: new W3CTraceContextPropagator() });
    recordSpans(true);
    recordGenAi(options.genAi);
    return new OtelTracing(provider);
  }

  async end(timeoutMs: number): Promise<void> {
    const late = new Promise((resolve) => setTimeout(resolve, timeoutMs).unref());
    await Promise.race([this.provider.shutdown().catch(() => undefined), late]);
    recordSpans(false);
    recordGenAi(undefined);
    context.disable();
  }
}

/** Loads only the configured exporter. */
async function exporterOf({ to, protocol }: TracingOptions): Promise<SpanExporter> {
  if (to === 'console') return new ConsoleSpanExporter();
  switch (protocol) {
    case 'grpc':
      return new (await import('@opentelemetry/exporter-trace-otlp-grpc')).OTLPTraceExporter();
    case 'http/json':
      return new (await import('@opentelemetry/exporter-trace-otlp-http')).OTLPTraceExporter();
    case 'http/protobuf':
      return new (await import('@opentelemetry/exporter-trace-otlp-proto')).OTLPTraceExporter();
  }
}

const ignore = (): void => undefined;
const SILENT = { info: ignore, debug: ignore, verbose: ignore };

function atMostEach(ms: number, complain: TracingComplaint): TracingComplaint {
  let last = -Infinity;
  return (reason) => {
    if (performance.now() - last < ms) return;
    last = performance.now();
    complain(reason);
  };
}
