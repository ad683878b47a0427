import { Module } from '@nestjs/common';
import { PolicyModule } from '../policy/policy.module.js';
import { TaskModule } from '../tasks/task.module.js';
import { EventFanOut } from './events/event-fan-out.js';
import { EventOutlet } from './events/event-outlet.js';
import { QuestionBoard } from './questions/question-board.js';
import { TreeSweep } from './tree-sweep.js';

/**
 * Owns the parts of task trees outside of runs: the questions that they show, and the tasks that their events begin.
 * Knows nothing of callers and workers.
 */
@Module({
  imports: [TaskModule, PolicyModule],
  providers: [EventFanOut, EventOutlet, QuestionBoard, TreeSweep],
  exports: [QuestionBoard, TreeSweep],
})
export class AgentModule {}
