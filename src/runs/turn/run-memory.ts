import { Injectable } from '@nestjs/common';
import { QuestionBoard } from '../../agents/questions/question-board.js';
import { QuestionStore } from '../../tasks/questions/question.store.js';
import { SenderStore } from '../../tasks/questions/sender.store.js';
import { TreeStore } from '../../tasks/tree/tree.store.js';
import { ContextValues } from './context-values.js';

/** Stored data for a run besides the task: context state, senders of messages, children, and questions. */
@Injectable()
export class RunMemory {
  constructor(
    readonly contexts: ContextValues,
    readonly senders: SenderStore,
    readonly trees: TreeStore,
    readonly questions: QuestionStore,
    readonly board: QuestionBoard,
  ) {}
}
