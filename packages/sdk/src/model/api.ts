/** The API for skills that use language models, `@parley/sdk/model`. Exports stay stable. */
export { fromAiSdk, type AiSdkModel } from './ai-sdk.model.js';
export { converse, type Conversing } from './converse.js';
export { coordinator, type CoordinatorOptions } from './coordinator.js';
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
export { RulesModel } from './rules/rules.model.js';
export { recorded } from './scripted/recorded.model.js';
export { scripted, type ScriptedModel, type ScriptedReply } from './scripted/scripted.model.js';
export { ModelTools } from './model-tools.js';
export { agentTool, type AgentTool, functionTool, skillTool, type SkillToolOptions, type Tool } from './tool.js';
