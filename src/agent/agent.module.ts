import { Module } from '@nestjs/common';
import { TaskModule } from '../task/task.module.js';
import { QuestionBoard } from './question-board.js';
import { TreeSweep } from './tree-sweep.js';

/** Owns what trees of tasks need beside their runs: the questions that they show. Knows nothing of callers and workers. */
@Module({ imports: [TaskModule], providers: [QuestionBoard, TreeSweep], exports: [QuestionBoard, TreeSweep] })
export class AgentModule {}
