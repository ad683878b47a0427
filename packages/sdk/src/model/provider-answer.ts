import { ModelFault } from './model-fault.js';
import type { ToolCall } from './model.port.js';

/** Bytes of an answer of a provider: its texts, reasoning and calls, or its whole body if it is not streamed. */
export const MAX_ANSWER_BYTES = 8 * 1_048_576;
const MAX_TOOL_CALLS = 128;

export function tooLarge(): ModelFault {
  return new ModelFault('malformed', `The answer has more than ${String(MAX_ANSWER_BYTES)} bytes`);
}

/** @param count calls of one answer @throws ModelFault */
export function checkCallCount(count: number): void {
  if (count > MAX_TOOL_CALLS)
    throw new ModelFault('malformed', `The answer calls more than ${String(MAX_TOOL_CALLS)} tools`);
}

/** The calls of an answer, whose arguments are texts. Each has an id: some servers send none, or the same one for all. */
export function callsOf(
  grown: readonly { readonly id: string; readonly name: string; readonly text: string }[],
): readonly ToolCall[] {
  const taken = new Set<string>();
  return grown.map(({ id, name, text }, at) => {
    const own = id === '' || taken.has(id) ? `call-${String(at + 1)}` : id;
    taken.add(own);
    return { id: own, name, ...argumentsIn(text) };
  });
}

/** Arguments that are no JSON are the model's mistake, which its caller reports to it. */
function argumentsIn(text: string): Pick<ToolCall, 'arguments' | 'raw'> {
  try {
    return { arguments: text === '' ? {} : (JSON.parse(text) as unknown) };
  } catch {
    return { arguments: undefined, raw: text };
  }
}

/** Undefined for a count of tokens that cannot be one. */
export function tokensOf(count: unknown): number | undefined {
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

/** The words of a provider for the log: one line of at most 500 printable characters. */
export function loggedText(text: string): string {
  return text
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, 500);
}
