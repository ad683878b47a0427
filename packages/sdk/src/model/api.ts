/** The API for skills that use language models, `@parley/sdk/model`. Exports stay stable. */
export { agent, type AgentClass, type AgentOfFlow, type ModelAgent } from './agent.js';
export { fromAiSdk, type AiSdkModel } from './ai-sdk/ai-sdk.model.js';
export { converse, type Conversed, type Conversing } from './converse.js';
export { tool, type FunctionTool } from './function-tool.js';
export type { ToolContext } from './function-work.js';
export { Guarded, guard, verdict, type Guard, type GuardOptions, type GuardVerdict } from './guard.js';
export { llm, type LlmOptions } from './llm.js';
export { LoopStopped, type LoopLimits } from './loop-limits.js';
export { Model, type StreamRequest } from './model.js';
export { ModelBudgetSpent, type ModelLimits } from './model-budget.js';
export { ModelFault, type ModelFaultKind } from './model-fault.js';
export type {
  ModelCallOptions,
  ModelFinish,
  ModelMessage,
  ModelPort,
  ModelReply,
  ModelRequest,
  ModelTool,
  ModelUsage,
  ToolCall,
} from './model.port.js';
export { askPerson, mcp, type AskPersonOptions, type McpToolUse } from './other-tools.js';
export { AnswerUnfit, choice, type Choice, type Output } from './output.js';
export { plain, prompt, type Prompt, type PromptData } from './prompt.js';
export { RulesModel } from './rules/rules.model.js';
export { recorded } from './scripted/recorded.model.js';
export { scripted, type ScriptedModel, type ScriptedReply } from './scripted/scripted.model.js';
export { allSkills, handsTo, skill, type HandOverOptions, type SkillToolOptions } from './skill-tool.js';
export type { OfferedTool, Tool, ToolApproval } from './tool.js';
export { ToolError } from './tool-error.js';
