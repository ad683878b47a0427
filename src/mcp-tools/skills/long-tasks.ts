import type { JsonObject } from '@parley/protocol/model/json.js';
import { SkillFailure } from '@parley/sdk/skill/skill-failure.js';
import type { ToolAnswers, ToolOutcome, ToolResult } from '@parley/sdk/skill/tools/skill-tool.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { TASKS_EXTENSION } from '@parley/protocol/mcp/revision.js';
import { ToolError } from '../client/tool-error.js';
import { readQuestions, readResult } from '../connection/read-result.js';
import { responsesOf } from '../connection/tool-connection.js';
import type { ToolServerPool } from '../connection/tool-server-pool.js';

/** The polled state of a tool's task: JSON, for the journal. */
export type ToolPoll =
  | { readonly kind: 'open'; readonly text: string }
  | { readonly kind: 'ended' }
  /** No answer at present. */
  | { readonly kind: 'down' }
  | Extract<ToolOutcome, { kind: 'asks' }>
  | { readonly kind: 'failed'; readonly text: string };

const REQUEST_MS = 15_000;
/** Characters of a server's text that are passed on. */
const MAX_TEXT = 2000;

/** Tasks begun by long tools (SEP-2663): read, answered and canceled by their ids. A tool is `server/tool`. */
export class LongTasks {
  constructor(private readonly pool: ToolServerPool) {}

  async poll(agent: string, tenant: string, taskId: string): Promise<ToolPoll> {
    try {
      return pollOf(agent, await this.request(agent, tenant, { method: 'tasks/get', taskId }));
    } catch (error) {
      const failed = toolError(error);
      if (['unsent', 'lost', 'busy'].includes(failed.kind)) return { kind: 'down' };
      return { kind: 'failed', text: `The tool ${agent}: ${failed.message}` };
    }
  }

  /** The result of an ended task. @throws SkillFailure, ToolError */
  async result(agent: string, tenant: string, taskId: string): Promise<ToolResult> {
    const { status, result, error } = await this.request(agent, tenant, { method: 'tasks/get', taskId });
    if (status === 'cancelled') throw new SkillFailure(`The tool ${agent} canceled its task`);
    if (status !== 'completed' || !isJsonObject(result)) {
      const said =
        isJsonObject(error) && typeof error.message === 'string' ? `: ${error.message.slice(0, MAX_TEXT)}` : '';
      throw new SkillFailure(`The tool ${agent} failed${said}`);
    }
    const { server, tool } = this.listed(agent);
    const definition = await this.pool.connection(server, tenant).pinned(tool);
    return readResult(result, { ...tool, definition });
  }

  /** Returns whether the answers arrived; a repeat changes nothing. */
  async answer(
    agent: string,
    tenant: string,
    { taskId, answers }: { readonly taskId: string; readonly answers: ToolAnswers },
  ): Promise<boolean> {
    const params = { inputResponses: responsesOf(answers.content) };
    await this.request(agent, tenant, { method: 'tasks/update', taskId, params });
    return true;
  }

  /** Returns whether nothing is left to do: the task is canceled, has ended, or cannot be canceled. */
  async cancel(agent: string, tenant: string, taskId: string): Promise<boolean> {
    try {
      await this.request(agent, tenant, { method: 'tasks/cancel', taskId });
      return true;
    } catch (error) {
      return !['unsent', 'lost', 'busy'].includes(toolError(error).kind);
    }
  }

  private request(
    agent: string,
    tenant: string,
    { method, taskId, params = {} }: { readonly method: string; readonly taskId: string; readonly params?: JsonObject },
  ): Promise<JsonObject> {
    return this.pool.connection(this.listed(agent).server, tenant).request({
      ...{ method, params: { ...params, taskId }, name: taskId, timeoutMs: REQUEST_MS },
      capabilities: { elicitation: { form: {}, url: {} }, extensions: { [TASKS_EXTENSION]: {} } },
    });
  }

  private listed(agent: string): ReturnType<ToolServerPool['require']> {
    return this.pool.require(agent);
  }
}

function pollOf(agent: string, task: JsonObject): ToolPoll {
  switch (task.status) {
    case 'working':
      return {
        kind: 'open',
        text: typeof task.statusMessage === 'string' ? task.statusMessage.slice(0, MAX_TEXT) : '',
      };
    case 'input_required':
      return readQuestions(task);
    case 'completed':
    case 'failed':
    case 'cancelled':
      return { kind: 'ended' };
    default:
      return { kind: 'failed', text: `The task of the tool ${agent} is in no known state` };
  }
}

/** Any other error is a fault of this service, and rethrown. */
function toolError(error: unknown): ToolError {
  if (error instanceof ToolError) return error;
  throw error;
}
