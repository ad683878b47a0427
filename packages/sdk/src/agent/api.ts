/** The API for authors of agents, `@parley/sdk/agent`: skills that run skills, and the steps that their flows are made of. */
export { Agent, FlowAgent, type AgentOptions } from './agent.js';
export { approval, ask, type ApprovalOptions, type ApprovalValue, type AskOptions } from './steps/ask.js';
export type { FanOutOptions } from './branches.js';
export type { Values } from './branch-values.js';
export { call, type CallStepOptions, type Retry } from './steps/call-step.js';
export { graph, type Edge, type GraphOptions } from './steps/graph.js';
export { inline, type InlineOptions } from './steps/inline.js';
export {
  critic,
  loop,
  type CriticOptions,
  type CriticValue,
  type LoopEnd,
  type LoopOptions,
  type LoopValue,
} from './steps/loop.js';
export { map, parallel, type MapStepOptions, type ParallelOptions } from './steps/parallel.js';
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
} from './steps/sequence.js';
export { shared, type SharedGetOptions } from './steps/shared.js';
export { from, type StepInput } from './source.js';
export type { Facts, Step } from './step.js';
export { transfer, type TransferOptions } from './steps/transfer.js';
