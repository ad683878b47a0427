import { IsArray, IsIn, IsOptional, IsString, IsUrl } from 'class-validator';
import { HTTP_URL } from '../config/checks/http-url.js';
import { Switch } from '../config/checks/switch.js';
import { Setting } from '../config/settings/setting.js';

const TRACES_EXPORTERS = ['otlp', 'console', 'none'] as const;
const OTLP_PROTOCOLS = ['grpc', 'http/protobuf', 'http/json'] as const;

/**
 * The OpenTelemetry variables that decide whether and how spans are exported; its SDK reads the others itself: service
 * name, sampler, resource attributes, headers of the exporter.
 */
export class TracingSettings {
  @Setting('Traces are off until an endpoint is set: the base URL of an OTLP collector, such as http://localhost:4318.')
  @IsOptional()
  @IsUrl(HTTP_URL)
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string;

  @Setting('http/protobuf | http/json | grpc. Default: http/protobuf.')
  @IsOptional()
  @IsIn(OTLP_PROTOCOLS)
  readonly OTEL_EXPORTER_OTLP_PROTOCOL?: (typeof OTLP_PROTOCOLS)[number];

  @Setting('The endpoint for traces only.')
  @IsOptional()
  @IsUrl(HTTP_URL)
  readonly OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?: string;

  @Setting('The protocol for traces only.')
  @IsOptional()
  @IsIn(OTLP_PROTOCOLS)
  readonly OTEL_EXPORTER_OTLP_TRACES_PROTOCOL?: (typeof OTLP_PROTOCOLS)[number];

  @Setting('otlp | console | none')
  @IsOptional()
  @IsIn(TRACES_EXPORTERS)
  readonly OTEL_TRACES_EXPORTER?: (typeof TRACES_EXPORTERS)[number];

  @Setting(
    'gen_ai_latest_experimental: spans of agents, tools and models follow the conventions for generative AI (docs/operations.md). They may change with the conventions.',
  )
  @IsOptional()
  @IsString()
  readonly OTEL_SEMCONV_STABILITY_OPT_IN?: string;

  @Setting('true: tracing is off, whatever else is set.')
  @Switch()
  readonly OTEL_SDK_DISABLED: boolean = false;

  @Setting(
    'Tenants whose prompts, answers, arguments and results of tools are recorded in spans, without credentials; * for all. Needs gen_ai_latest_experimental. Default: none.',
  )
  @IsOptional()
  @IsArray()
  @IsString({ each: true })
  readonly genAiContent?: readonly string[];
}
