import { type Attributes, context, createContextKey, type Span, SpanKind, trace } from '@opentelemetry/api';
import { beginSpan, failSpan, recordsSpans } from './traced.js';

/** How spans say what agents, tools and models do, by OpenTelemetry's conventions for generative AI. */
export interface GenAiOptions {
  /** Tenants whose prompts, answers, arguments and results are recorded; `*` for all. */
  readonly contentOf: readonly string[];
}

/** An agent at work: spans of its models and tools belong to it. */
export interface AgentWork {
  readonly tenant: string;
  readonly taskId: string;
  readonly contextId: string;
  readonly agentId: string;
  readonly agentName: string;
  /** 0 for none. */
  readonly version: number;
}

/** Characters of a text in a span, and texts of a list. */
export const MAX_CONTENT = { text: 4_096, texts: 64 };
const WORK = createContextKey('agent work');
/** Credentials in texts: after a scheme, JWTs, and keys of providers with their usual prefixes. */
const SECRETS =
  /\b(?:bearer|basic|dpop)\s+[\w.~+/=-]{8,}|\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*|\b(?:sk|pk|rk|ghp|gho|glpat|whsec|xox[abprs]|AKIA)[-_]?[\w-]{12,}/gi;

let options: GenAiOptions | undefined;

/** Sets whether the spans of this process follow the conventions. */
export function recordGenAi(given: GenAiOptions | undefined): void {
  options = given;
}

/** Whether the spans of this process follow the conventions. */
export function recordsGenAi(): boolean {
  return options !== undefined && recordsSpans();
}

/** Attributes of a span of generative AI; none while they are off. */
export function genAiAttributes(operation: string, more: Attributes = {}): Attributes {
  if (!recordsGenAi()) return {};
  return { 'gen_ai.operation.name': operation, ...conversationOf(currentWork()), ...more };
}

/** The name of such a span: by the conventions, or another one while they are off. */
export function genAiName(name: string, otherwise: string): string {
  return recordsGenAi() ? name : otherwise;
}

/** Runs an agent inside a span of its own; only runs it while these are off. */
export async function invokingAgent<T>(about: () => AgentWork, run: () => Promise<T>): Promise<T> {
  if (!recordsGenAi()) return run();
  const work = about();
  const span = beginSpan(`invoke_agent ${work.agentName}`, { kind: SpanKind.INTERNAL, attributes: attributesOf(work) });
  try {
    return await context.with(trace.setSpan(context.active(), span).setValue(WORK, work), run);
  } catch (error) {
    failSpan(span, error);
    throw error;
  } finally {
    span.end();
  }
}

/** Records a content as JSON, masked and bounded, if the operator has switched that on for the tenant of the work. */
export function recordContent(span: Span, name: string, content: () => unknown): void {
  const tenant = currentWork()?.tenant;
  if (options === undefined || tenant === undefined) return;
  if (!options.contentOf.includes('*') && !options.contentOf.includes(tenant)) return;
  span.setAttribute(name, JSON.stringify(content(), masking));
}

/** A text without credentials, cut to its bound. */
export function maskedText(text: string): string {
  const { text: most } = MAX_CONTENT;
  return text
    .slice(0, 2 * most)
    .replace(SECRETS, '[Redacted]')
    .slice(0, most);
}

function masking(name: string, value: unknown): unknown {
  if (/^(authorization|cookie|password|secret|client_?secret|token|access_?token|api_?key|credentials)$/i.test(name))
    return '[Redacted]';
  if (Array.isArray(value)) return value.slice(-MAX_CONTENT.texts);
  return typeof value === 'string' ? maskedText(value) : value;
}

function attributesOf(work: AgentWork): Attributes {
  const { agentId, agentName, version } = work;
  return {
    ...genAiAttributes('invoke_agent', { 'gen_ai.provider.name': 'parley' }),
    ...conversationOf(work),
    ...{ 'gen_ai.agent.id': agentId, 'gen_ai.agent.name': agentName },
    ...(version === 0 ? {} : { 'gen_ai.agent.version': String(version) }),
  };
}

/** `session.id` is what Phoenix groups by. */
function conversationOf(work: AgentWork | undefined): Attributes {
  if (work === undefined) return {};
  const { contextId, taskId } = work;
  return {
    ...{ 'gen_ai.conversation.id': contextId, 'session.id': contextId },
    ...{ 'a2a.task.id': taskId, 'a2a.context.id': contextId },
  };
}

function currentWork(): AgentWork | undefined {
  return context.active().getValue(WORK) as AgentWork | undefined;
}
