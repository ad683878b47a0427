import { Module } from '@nestjs/common';
import { RunQueueModule } from '../queue/run-queue.module.js';
import { Sweeper } from './sweeper.js';

/** Owns what must happen although a process died: lost jobs, lost runs, overdue cancels, retention. */
@Module({ imports: [RunQueueModule], providers: [Sweeper], exports: [Sweeper] })
export class SweeperModule {}
