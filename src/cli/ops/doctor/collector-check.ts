import { connect } from 'node:net';
import { once } from 'node:events';
import type { Environment } from '../../../main/app.environment.js';
import { processVariables } from '../../../platform/config/variables/process-variables.js';
import { tracingOptions } from '../../../platform/tracing/tracing.options.js';
import { faultText } from './fault-text.js';
import { type Finding, fine } from '../../../main/finding.js';

const CHECK = 'collector';
const TIMEOUT_MS = 5_000;

/** Sends the OTLP collector an empty export in its protocol; for gRPC it only tries the connection. */
export async function checkCollector(environment: Environment): Promise<readonly Finding[]> {
  const options = tracingOptions(environment, { version: '', instance: '' });
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own, OTEL_EXPORTER_OTLP_ENDPOINT: common } = environment;
  const url = own ?? (common === undefined ? undefined : `${common.replace(/\/$/, '')}/v1/traces`);
  if (options?.to !== 'otlp' || url === undefined) return [];
  try {
    if (options.protocol === 'grpc') await reach(new URL(url));
    else await send(url, options.protocol === 'http/json');
    return [fine(CHECK, `${new URL(url).origin} takes traces (${options.protocol})`)];
  } catch (error) {
    const text = `Traces are lost: ${url} (${options.protocol}): ${faultText(error)}`;
    const fix = 'Start the collector, or correct OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_PROTOCOL';
    return [{ check: CHECK, severity: 'warn', text, fix }];
  }
}

async function send(url: string, isJson: boolean): Promise<void> {
  const type = isJson ? 'application/json' : 'application/x-protobuf';
  const headers = { 'content-type': type, ...headersOf(processVariables().OTEL_EXPORTER_OTLP_HEADERS) };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(url, { method: 'POST', headers, body: isJson ? '{"resourceSpans":[]}' : '', signal });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`status ${String(response.status)}`);
}

async function reach({ hostname, port }: URL): Promise<void> {
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? 4317 : Number(port) });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(TIMEOUT_MS) });
  } finally {
    socket.destroy();
  }
}

/** `name=value,name=value`, each percent-encoded, in OpenTelemetry's format. */
function headersOf(text = ''): Readonly<Record<string, string>> {
  const pairs = text.split(',').flatMap((pair) => {
    const [name = '', ...value] = pair.split('=');
    return name.trim() === '' ? [] : [[name.trim(), decodeURIComponent(value.join('=').trim())] as const];
  });
  return Object.fromEntries(pairs);
}
