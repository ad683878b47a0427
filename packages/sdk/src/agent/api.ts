/** The API for authors of agents, `@parley/sdk/agent`: skills that run skills, and the steps that their flows are made of. */
export { Agent, FlowAgent, type AgentOptions } from './agent.js';
export { approval, ask, type ApprovalOptions, type ApprovalValue, type AskOptions } from './flow/ask.js';
export type { FanOutOptions } from './flow/branches.js';
export type { Values } from './flow/branch-values.js';
export { call, type CallStepOptions, type Retry, type TypedSkill } from './flow/call-step.js';
export { graph, type Edge, type GraphOptions } from './flow/graph.js';
export { inline, type InlineOptions } from './flow/inline.js';
export {
  critic,
  loop,
  type CriticOptions,
  type CriticValue,
  type LoopEnd,
  type LoopOptions,
  type LoopValue,
} from './flow/loop.js';
export { map, parallel, type MapStepOptions, type ParallelOptions } from './flow/parallel.js';
export type { Reducer, Reducers } from '../skill/shared/reducer.js';
export {
  compute,
  end,
  exit,
  result,
  route,
  say,
  sequential,
  sleep,
  step,
  when,
  type StepText,
} from './flow/sequence.js';
export { shared, type SharedGetOptions } from './flow/shared.js';
export { from, type StepInput } from './source.js';
export type { Facts, Step } from './step.js';
export { transfer, type TransferOptions } from './flow/transfer.js';
