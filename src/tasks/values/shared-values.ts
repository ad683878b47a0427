import type { RedisClient } from '../../platform/redis/connection/redis-client.js';
import { sharedTexts, type SharedWrite, sharedWrite } from './shared-write.js';
import { traitsOf, type TreePlace } from '../record/task-record.js';
import type { TaskKeys } from '../task.keys.js';
import { FIELD } from '../task-fields.js';

/** The values that the tasks of a tree share: each task stores the writes of its own calls. */
export class SharedValues {
  constructor(
    private readonly redis: RedisClient,
    private readonly keys: TaskKeys,
  ) {}

  /** The writes of a task. */
  async writtenBy(taskId: string): Promise<readonly SharedWrite[]> {
    const texts = await this.redis.hgetall(this.keys.shared(taskId));
    return Object.entries(texts).map(([field, text]) => sharedWrite(field, text));
  }

  /**
   * The inherited values of a child, by name: those written by its parent before the call, below them those inherited
   * by the parent, and so on up to the root.
   */
  async inherited(tree: TreePlace | undefined): Promise<ReadonlyMap<string, string>> {
    const levels: (readonly SharedWrite[])[] = [];
    for (let place = tree; place !== undefined; place = await this.placeOf(place.parent)) {
      const [turn = 0, call = 0] = place.group.split('.').map(Number);
      const written = await this.writtenBy(place.parent);
      levels.unshift(written.filter((write) => write.turn < turn || (write.turn === turn && write.call < call)));
    }
    return new Map(levels.flatMap((writes) => [...sharedTexts(writes)]));
  }

  private async placeOf(taskId: string): Promise<TreePlace | undefined> {
    const traits = await this.redis.hget(this.keys.task(taskId), FIELD.traits);
    return traits === null ? undefined : traitsOf(traits).tree;
  }
}
