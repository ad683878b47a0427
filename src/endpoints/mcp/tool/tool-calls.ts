import { Inject, Injectable } from '@nestjs/common';
import { DELEGATION } from '@parley/protocol/extension/delegation.js';
import { A2AError } from '@parley/protocol/model/errors.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Task } from '@parley/protocol/model/task.js';
import { CallerGate } from '../../../auth/caller.gate.js';
import { SCOPE_OF } from '../../../auth/scopes.js';
import type { SkillOptions } from '@parley/sdk/skill/skill.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { answerContent, readAnswers } from '@parley/protocol/mcp/answer.js';
import { undeclared } from '@parley/protocol/mcp/client-capabilities.js';
import { badParams, missingCapability } from '@parley/protocol/mcp/mcp-fault.js';
import { type Question, questionsIn } from '@parley/protocol/mcp/question.js';
import { checkArguments } from '@parley/protocol/mcp/routing-headers.js';
import { PARLEY_META, TASKS_EXTENSION } from '@parley/protocol/mcp/revision.js';
import { toolError } from '@parley/protocol/mcp/tool-result.js';
import { McpOptions } from '../call/mcp.options.js';
import { answerIdOf, messageIdOf } from '../call/message-id.js';
import type { McpRequest } from '../call/mcp-request.js';
import { type Reached, TaskCalls } from '../call/task-calls.js';
import { argumentPath, toolContent } from './tool-input.js';
import { ToolEnds } from './tool-ends.js';
import { ToolList } from './tool-list.js';

/** Questions that one call may answer in advance. */
const MAX_ROUNDS = 8;

/** The call of a skill's tool, and the promise of its result. */
export interface SkillCall {
  readonly skill: SkillOptions;
  readonly args: JsonObject;
  readonly request: McpRequest;
}

/**
 * Answers `tools/call`: sends a message to the skill, and awaits its task until it settles or the call's wait has
 * expired.
 */
@Injectable()
export class ToolCalls {
  constructor(
    private readonly list: ToolList,
    private readonly gate: CallerGate,
    private readonly tasks: TaskCalls,
    private readonly ends: ToolEnds,
    @Inject(McpOptions) private readonly options: McpOptions,
  ) {}

  /** The members of the result. @throws A2AError */
  async answer(request: McpRequest): Promise<object> {
    const { name, arguments: args = {} } = request.params;
    if (typeof name !== 'string') throw badParams('"name" must be the name of a tool');
    if (!isJsonObject(args)) throw badParams('"arguments" must be an object');
    const skill = this.list.skillOf(name);
    if (skill === undefined) throw badParams('Unknown tool');
    this.gate.requireScopes(request.call.principal, [SCOPE_OF.SendMessage, ...(skill.scopes ?? [])]);
    requireCapabilities(skill, request);
    // Only foreign schemas ask for repeated arguments: no class does.
    if (typeof skill.input === 'object' && request.header !== undefined) {
      checkArguments(skill.input, args, request.header);
    }
    return this.called({ skill, args, request });
  }

  private async called(call: SkillCall): Promise<object> {
    const { requestState } = call.request.params;
    if (requestState !== undefined) return this.resumed(call, requestState);
    const begun = await this.begun(call);
    return 'content' in begun ? begun : this.settled(call, begun);
  }

  /** Begins the task, or returns the faults of the arguments for a model to correct its call. */
  private async begun(call: SkillCall): Promise<Reached | ReturnType<typeof toolError>> {
    const { skill, args, request } = call;
    const content = toolContent(skill, args);
    if ('faults' in content) return toolError(content.faults.join('\n'));
    const { [PARLEY_META.contextId]: contextId } = request.meta;
    const message = {
      ...content,
      messageId: messageIdOf(request.meta),
      role: 'ROLE_USER' as const,
      ...(typeof contextId === 'string' ? { contextId } : {}),
      ...withChain(content.metadata, request),
    };
    try {
      return await this.tasks.send({ message, metadata: { skillId: skill.id } }, request, this.waitMs(call));
    } catch (error) {
      const faults = faultsOf(error);
      if (faults === undefined) throw error;
      return toolError(faults.join('\n'));
    }
  }

  /** Resumes a question held by the client: with all answers the task continues, else the rest is asked again. */
  private async resumed(call: SkillCall, sealed: unknown): Promise<object> {
    const { request } = call;
    const state = this.ends.reopen(call, sealed);
    const responses = { ...state.given, ...responsesOf(request) };
    const answers = readAnswers(state.questions, responses);
    if (answers.kind === 'declined') return this.declined(call, state.taskId, state.questions);
    if (answers.kind === 'left') return toolError(`The question stays open in task ${state.taskId}.`);
    if (answers.open.length > 0) {
      const given = Object.fromEntries(Object.entries(responses).filter(([key]) => answers.given.has(key)));
      return this.ends.askAgain(call, { ...state, given }, answers.open);
    }
    if (!isLogin(state.questions)) {
      await this.tasks.requireAnswerable(state.taskId, state.questions, answers.given, request);
    }
    return this.settled(call, await this.answered(call, state.taskId, state.questions, answers.given));
  }

  /** The answer for a settled task; a question answered in advance is answered at once. */
  private async settled(call: SkillCall, first: Reached): Promise<object> {
    let reached = first;
    for (let round = 0; round < MAX_ROUNDS && 'task' in reached; round += 1) {
      const { task } = reached;
      const questions = questionsIn(task);
      const answers = readAnswers(questions, responsesOf(call.request));
      if (questions.length === 0 || answers.kind !== 'given' || answers.open.length > 0) break;
      reached = await this.answered(call, task.id, questions, answers.given);
    }
    return this.ends.of(call, reached);
  }

  /** Gives answers to a task, once: the id of the message is derived from its questions. */
  private answered(
    call: SkillCall,
    taskId: string,
    questions: readonly Question[],
    given: ReadonlyMap<string, JsonObject>,
  ): Promise<Reached> {
    const { request } = call;
    // A login happens elsewhere: the task gets no message.
    if (isLogin(questions)) return this.afterLogin(taskId, call);
    const message = {
      ...answerContent(questions, given),
      messageId: answerIdOf(questions, request.call),
      role: 'ROLE_USER' as const,
      taskId,
    };
    return this.tasks.send({ message }, withoutName(request), this.waitMs(call));
  }

  private async afterLogin(id: string, call: SkillCall): Promise<Reached> {
    const asked = (task: Task): boolean => task.status.state !== 'TASK_STATE_AUTH_REQUIRED';
    return { task: await this.tasks.wait(id, call.request, { waitMs: this.options.waitMs, isOver: asked }) };
  }

  private async declined(call: SkillCall, taskId: string, questions: readonly Question[]): Promise<object> {
    const { request, skill } = call;
    if (skill.mcp?.onDecline !== 'turn') {
      await this.tasks.cancel(taskId, request);
      return toolError('The question was declined, and the task is canceled.');
    }
    const parts = [{ data: { action: 'decline' }, mediaType: 'application/json' }];
    const messageId = answerIdOf(questions, request.call, ':decline');
    const message = { parts, messageId, role: 'ROLE_USER' as const, taskId };
    return this.ends.of(call, await this.tasks.send({ message }, withoutName(request), this.waitMs(call)));
  }

  /** Waiting time of the call: a client that accepts handles gets one soon. */
  private waitMs({ skill, request }: SkillCall): number {
    if (!request.isModern || !request.capabilities.tasks) return this.options.waitMs;
    return (skill.mcp?.task ?? 'slow') === 'slow' ? this.options.taskAfterMs : 0;
  }
}

/** A caller that is a service states how many more services its call may pass through (MCP-SEC-15). */
function withChain(
  metadata: JsonObject | undefined,
  { meta: { [PARLEY_META.hops]: hops } }: McpRequest,
): { readonly metadata?: JsonObject } {
  if (typeof hops !== 'number' || !Number.isInteger(hops) || hops < 0)
    return metadata === undefined ? {} : { metadata };
  return { metadata: { ...metadata, [DELEGATION]: { depthLeft: hops, path: [] } } };
}

/** @throws McpFault for a client that has not declared a capability needed by the skill */
function requireCapabilities({ mcp = {} }: SkillOptions, { capabilities, isModern }: McpRequest): void {
  const needed = {
    ...mcp.requires,
    ...(mcp.task === 'required' ? { extensions: { [TASKS_EXTENSION]: {} } } : {}),
  };
  const missing = undeclared(needed, capabilities.declared);
  if (missing !== undefined && isModern) throw missingCapability(missing);
}

function isLogin(questions: readonly Question[]): boolean {
  return questions.every(({ mode }) => mode === 'url');
}

function responsesOf({ params }: McpRequest): JsonObject {
  const { inputResponses } = params;
  if (inputResponses === undefined) return {};
  if (!isJsonObject(inputResponses)) throw badParams('"inputResponses" must be an object');
  return inputResponses;
}

/** The faults of the arguments, a line each; undefined for any other error. */
function faultsOf(error: unknown): readonly string[] | undefined {
  if (!(error instanceof A2AError)) return undefined;
  if (error.kind === 'ContentTypeNotSupported') return [error.message];
  const { violations } = error;
  if (error.kind !== 'InvalidParams' || violations.length === 0) return undefined;
  const isOfArguments = violations.every(({ field }) => /^message\.(parts\b|metadata\.input\b)/.test(field));
  return isOfArguments
    ? violations.map(({ field, description }) => `${argumentPath(field) || 'arguments'}: ${description}`)
    : undefined;
}

/** A message to a begun task: the name of the session's request belongs to the first message only. */
function withoutName(request: McpRequest): McpRequest {
  const { legacy: _name, ...call } = request.call;
  return { ...request, call };
}
