import type { GenAiOptions } from './gen-ai.js';
import type { VariablesOf } from '../config/settings/setting.js';
import type { TracingSettings } from './tracing.settings.js';

/** The exporter of spans, and the service identity in them. */
export interface TracingOptions {
  readonly to: 'otlp' | 'console';
  /** Protocol of OTLP; the exporter reads address, headers and timeouts from its own variables. */
  readonly protocol: 'grpc' | 'http/protobuf' | 'http/json';
  readonly version: string;
  readonly role: string;
  /** The id of this process in tasks and log lines. */
  readonly instance: string;
  /** Absent: spans have no more than before these conventions. */
  readonly genAi?: GenAiOptions | undefined;
}

const GEN_AI = 'gen_ai_latest_experimental';

/**
 * Tracing options by the OpenTelemetry variables; undefined without a destination of spans: tracing is then off. An
 * endpoint or the name of an exporter suffices.
 */
export function tracingOptions(
  environment: VariablesOf<TracingSettings> & {
    readonly ROLE: string;
    readonly tracing?: Pick<TracingSettings, 'genAiContent'>;
  },
  { version, instance }: { readonly version: string; readonly instance: string },
): TracingOptions | undefined {
  const { OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER: exporter, ROLE: role } = environment;
  const endpoint = environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? environment.OTEL_EXPORTER_OTLP_ENDPOINT;
  const to = exporter ?? (endpoint === undefined ? 'none' : 'otlp');
  if (OTEL_SDK_DISABLED || to === 'none') return undefined;
  const { OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: own, OTEL_EXPORTER_OTLP_PROTOCOL: common } = environment;
  const { OTEL_SEMCONV_STABILITY_OPT_IN: conventions = '', tracing } = environment;
  const followsGenAi = conventions.split(',').some((one) => one.trim() === GEN_AI);
  const genAi = followsGenAi ? { contentOf: tracing?.genAiContent ?? [] } : undefined;
  return { to, protocol: own ?? common ?? 'http/protobuf', version, role, instance, genAi };
}
