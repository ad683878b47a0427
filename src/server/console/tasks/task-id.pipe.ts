import { Injectable, type PipeTransform } from '@nestjs/common';
import { taskNotFound } from '@parley/protocol/model/errors.js';
import { isTaskId } from '../../../task/task.keys.js';

/** Lets ids of tasks through; whatever else is asked for does not exist. */
@Injectable()
export class TaskIdPipe implements PipeTransform<string, string> {
  /** @throws A2AError TaskNotFound */
  transform(id: string): string {
    if (!isTaskId(id)) throw taskNotFound();
    return id;
  }
}
