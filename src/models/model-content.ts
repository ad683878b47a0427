import type { Span } from '@opentelemetry/api';
import { recordContent } from '../platform/tracing/gen-ai.js';
import type { ModelMessage, ModelReply, ToolCall } from '@parley/sdk/model/model.port.js';

/** Records prompts in a span, in the form of OpenTelemetry's conventions, where the operator wants them. */
export function recordPrompts(span: Span, messages: readonly ModelMessage[]): void {
  recordContent(span, 'gen_ai.input.messages', () => messages.map(messageOf));
}

/** The same for an answer. */
export function recordAnswer(span: Span, { text, toolCalls, finish }: ModelReply): void {
  recordContent(span, 'gen_ai.output.messages', () => [
    { role: 'assistant', parts: [...textOf(text), ...toolCalls.map(callOf)], finish_reason: finish },
  ]);
}

function messageOf(message: ModelMessage): object {
  const { role, text } = message;
  if (role === 'tool') return { role, parts: [{ type: 'tool_call_response', id: message.callId, response: text }] };
  const calls = role === 'assistant' ? (message.toolCalls ?? []) : [];
  return { role, parts: [...textOf(text), ...calls.map(callOf)] };
}

function textOf(content: string): readonly object[] {
  return content === '' ? [] : [{ type: 'text', content }];
}

function callOf({ id, name, arguments: given }: ToolCall): object {
  return { type: 'tool_call', id, name, arguments: given };
}
