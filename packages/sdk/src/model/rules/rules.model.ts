import type { JsonObject } from '@parley/protocol/model/json.js';
import type { ModelCallOptions, ModelMessage, ModelPort, ModelReply, ModelRequest } from '../model.port.js';
import { chooseTool } from './choose-tool.js';

/** Rules cost nothing: they add nothing to the task's model usage. */
const NO_TOKENS = { input: 0, output: 0 };
const NO_MODEL = 'No language model is configured (MODEL_URL).';

/**
 * Answers where no language model is configured: offline and deterministic. Calls the one tool whose description fits
 * the last message best, passes it the message, and returns the tool's answer. Says that it is no language model.
 */
export class RulesModel implements ModelPort {
  readonly name = 'rules';
  readonly isLocal = true;

  async complete(request: ModelRequest, { signal, onText }: ModelCallOptions): Promise<ModelReply> {
    signal.throwIfAborted();
    const { messages, tools = [], toolChoice } = request;
    const results = messages.slice(lastUser(messages) + 1).filter((message) => message.role === 'tool');
    const asked = messages[lastUser(messages)]?.text ?? '';
    const tool = results.length > 0 || toolChoice === 'none' ? undefined : chooseTool(asked, tools);
    if (tool !== undefined) {
      const call = { id: 'call-1', name: tool.name, arguments: argumentsFor(tool.parameters, asked) };
      return { text: '', toolCalls: [call], usage: NO_TOKENS, finish: 'tools' };
    }
    const text = results.length > 0 ? results.map((result) => result.text).join('\n\n') : helpOf(tools);
    onText?.(text);
    return { text, toolCalls: [], usage: NO_TOKENS, finish: 'stop' };
  }
}

function lastUser(messages: readonly ModelMessage[]): number {
  return messages.findLastIndex(({ role }) => role === 'user');
}

function helpOf(tools: NonNullable<ModelRequest['tools']>): string {
  if (tools.length === 0) return NO_MODEL;
  const lines = tools.map(({ name, description }) => `- ${name}: ${description}`);
  return `${NO_MODEL} These rules find a tool by the words of a message, and none fits yours:\n${lines.join('\n')}`;
}

/** The text in the one field that can take it. */
function argumentsFor({ properties, required }: JsonObject, text: string): JsonObject {
  const fields = typeof properties === 'object' && properties !== null ? Object.entries(properties) : [];
  const needed = Array.isArray(required) ? required : [];
  const texts = fields.filter(([, schema]) => isText(schema)).map(([name]) => name);
  const field = texts.find((name) => needed.includes(name)) ?? (texts.includes('text') ? 'text' : texts[0]);
  return field === undefined ? {} : { [field]: text };
}

function isText(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && 'type' in schema && schema.type === 'string';
}
