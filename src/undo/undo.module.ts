import { Module } from '@nestjs/common';
import { MetricsModule } from '../platform/metrics/metrics.module.js';
import { WorkerModule } from '../runs/worker.module.js';
import { TaskModule } from '../tasks/task.module.js';
import { UndoMetrics } from './undo.metrics.js';
import { UndoTurns } from './undo-turns.js';

/** Owns the turns that undo the finished work of tasks. */
@Module({ imports: [WorkerModule, TaskModule, MetricsModule], providers: [UndoTurns, UndoMetrics] })
export class UndoModule {}
