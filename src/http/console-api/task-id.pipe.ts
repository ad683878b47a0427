import { Injectable, type PipeTransform } from '@nestjs/common';
import { taskNotFound } from '@parley/protocol/model/errors.js';
import { isTaskId } from '../../tasks/task.keys.js';

/** Accepts task ids; anything else is not found. */
@Injectable()
export class TaskIdPipe implements PipeTransform<string, string> {
  /** @throws A2AError TaskNotFound */
  transform(id: string): string {
    if (!isTaskId(id)) throw taskNotFound();
    return id;
  }
}
