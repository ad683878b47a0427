/**
 * The API for skill authors, `@parley/sdk`: all that a skill may import of this service. Exports here stay stable;
 * anything else in this folder may change with any release.
 */
import 'reflect-metadata';

export {
  artifact,
  authRequired,
  chunk,
  completed,
  inputRequired,
  rejected,
  working,
  type ArtifactEvent,
  type Content,
  type SkillEvent,
} from './events.js';
export {
  CallFailed,
  type Approval,
  type Call,
  type CallFault,
  type Fallback,
  type CallInput,
  type CallOptions,
  type CallResult,
  type MapOptions,
  type MapResult,
  type Undo,
} from './calls/call.js';
export { remote } from './calls/remote.js';
export { artifactRef } from './artifacts/artifact-ref.js';
export type { Referenced, ReferencedTask, SkillArtifacts } from './artifacts/skill-artifacts.js';
export type { Reducer, Reducers } from './shared/reducer.js';
export type { Scope } from './shared/scope.js';
export type { Publish, PublishOptions } from './publication.js';
export { QuestionTimedOut } from './questions/ask.js';
export { decisionIn, type DecisionInText } from './questions/decision-in.js';
export type { Answer, Approvers, Ask, OnTimeout, Question } from './questions/question.js';
export {
  Skill,
  SkillFailure,
  SkillRejection,
  type DtoClass,
  type McpToolOptions,
  type Received,
  type SharedState,
  type SkillClass,
  type SkillContext,
  type SkillHandler,
  type SkillLog,
  type SkillMemory,
  type SkillOptions,
  type SkillPrincipal,
  type SkillProvider,
  type SkillSender,
  type SkillState,
  type WaitOptions,
} from './skill.js';
export type { StepOptions } from './undo.js';
export { execute, type AgentExecutorLike } from './executor/execute.js';
export { breathe, Slices } from './breathe.js';
export {
  RequestFailed,
  type HttpMethod,
  type RequestFault,
  type SkillFetch,
  type SkillRequest,
} from './requests/skill-request.js';
export {
  ToolFailed,
  type DeclaredTools,
  type SkillTools,
  type ToolCallOptions,
  type ToolFault,
  type ToolProgress,
  type ToolResult,
} from './tools/skill-tool.js';
export { FileFetcher, type FetchedFile } from './content/file-fetcher.js';
export { acceptsMode } from './content/media-type.js';
export { SkillSettings } from './settings/skill-settings.js';
export { NestedObject, NestedObjects } from '../validation/nested-object.js';
export type { JsonObject } from '@parley/protocol/model/json.js';
export type { Message, Part, RawPart, UrlPart } from '@parley/protocol/model/message.js';
