import { turnContent } from '../content/turn-content.js';
import type { CallInput, CallOutcome } from './call.js';

/** The result of a call as the input of its compensation: its output, or its text; '' where there is none. */
export function inputOfResult(outcome: CallOutcome | undefined): CallInput {
  if (outcome === undefined || 'why' in outcome) return '';
  const { artifacts, message } = outcome;
  const parts = artifacts.length === 0 ? message : artifacts.flatMap((one) => one.parts);
  const { text, data } = turnContent([{ parts }]);
  return data.length === 0 ? text : [{ data: data[0] }];
}
