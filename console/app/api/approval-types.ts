import type { Approvers, Vote } from '@parley/protocol/extension/questions.js';
import type { Schema } from './schema.js';

/** A question that the viewer may answer. Its words are those of an agent. */
export interface Approval {
  readonly id: string;
  readonly taskId: string;
  readonly contextId: string;
  readonly skill: string;
  readonly client: string;
  readonly asked: string;
  readonly path?: string;
  readonly expires?: string;
  readonly text: string;
  readonly schema?: Schema;
  readonly approvers?: Approvers;
  readonly needed: number;
  readonly votes: readonly Vote[];
  readonly refused?: 'four-eyes' | 'voted';
}

export interface ApprovalList {
  readonly questions: readonly Approval[];
  /** Open questions for other approvers. */
  readonly others: number;
  readonly isCut: boolean;
}
