/** The API for authors of agents, `parley/agent`: skills that run skills, and the steps that their flows are made of. */
export { Agent, FlowAgent, type AgentOptions } from './agent.js';
export { approval, ask, type ApprovalOptions, type ApprovalValue, type AskOptions } from './ask.js';
export type { FanOutOptions } from './branches.js';
export type { Values } from './branch-values.js';
export { call, type CallStepOptions, type Retry } from './call-step.js';
export { graph, type Edge, type GraphOptions } from './graph.js';
export { inline, type InlineOptions } from './inline.js';
export {
  critic,
  loop,
  type CriticOptions,
  type CriticValue,
  type LoopEnd,
  type LoopOptions,
  type LoopValue,
} from './loop.js';
export { map, parallel, type MapStepOptions, type ParallelOptions } from './parallel.js';
export type { Reducer, Reducers } from '../../skill/shared/reducer.js';
export { compute, end, exit, result, route, say, sequential, sleep, step, when, type StepText } from './sequence.js';
export { shared, type SharedGetOptions } from './shared.js';
export { from, type StepInput } from './source.js';
export type { Facts, Step } from './step.js';
export { transfer, type TransferOptions } from './transfer.js';
