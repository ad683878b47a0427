import { Injectable } from '@nestjs/common';
import { A2AError, taskNotFound } from '../../protocol/errors.js';
import type { Principal } from '../../security/auth/principal.js';
import { isTaskId } from '../../task/task.keys.js';
import { type TaskFacts, TaskInspector } from '../../task/task-inspector.js';
import { type CancelOutcome, TaskStore } from '../../task/task.store.js';

/** How one of several cancels came out. */
export interface CancelView {
  readonly id: string;
  readonly outcome: CancelOutcome['kind'];
}

/** The tasks of a caller's tenant, whoever owns them. A task of another tenant does not exist here. */
@Injectable()
export class TenantTasks {
  constructor(
    private readonly inspector: TaskInspector,
    private readonly tasks: TaskStore,
  ) {}

  /** @throws A2AError TaskNotFound */
  async facts({ tenant }: Principal, id: string): Promise<TaskFacts> {
    const facts = await this.inspector.inspect(id);
    if (facts?.tenant !== tenant) throw taskNotFound();
    return facts;
  }

  /** @throws A2AError TaskNotFound, TaskNotCancelable */
  async cancel(caller: Principal, id: string): Promise<CancelView> {
    const { owner } = await this.facts(caller, id);
    const outcome = await this.tasks.cancel(owner, id);
    if (outcome.kind === 'not-found') throw taskNotFound();
    if (outcome.kind === 'terminal') {
      throw new A2AError('TaskNotCancelable', 'The task is finished and cannot be canceled', {
        metadata: { taskId: id, state: outcome.state },
      });
    }
    return { id, outcome: outcome.kind };
  }

  /** Cancels several tasks; one that is gone or finished does not keep the others. */
  async cancelAll(caller: Principal, ids: readonly string[]): Promise<readonly CancelView[]> {
    return Promise.all([...new Set(ids)].map((id) => this.tryCancel(caller, id)));
  }

  private async tryCancel({ tenant }: Principal, id: string): Promise<CancelView> {
    const facts = isTaskId(id) ? await this.inspector.inspect(id) : undefined;
    if (facts?.tenant !== tenant) return { id, outcome: 'not-found' };
    return { id, outcome: (await this.tasks.cancel(facts.owner, id)).kind };
  }
}
