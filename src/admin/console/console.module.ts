import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { ProbesModule } from '../../platform/health/probes.module.js';
import { CommandRedis } from '../../platform/redis/connection/connections.js';
import { OpenApprovalsReader } from '../../operations/approval/open-approvals.js';
import { PushModule } from '../../webhooks/push.module.js';
import { AgentDirectory } from '../../remote-agents/directory/agent-directory.js';
import { AgentSurvey } from '../../remote-agents/directory/agent-survey.js';
import { RemoteKeys } from '../../remote-agents/directory/remote.keys.js';
import { RunQueueModule } from '../../runs/queue/run-queue.module.js';
import { FeedModule } from '../../tasks/feed/feed.module.js';
import { RunSurvey } from '../../tasks/survey/run-survey.js';
import { TenantChangesReader } from '../../tasks/survey/tenant-changes.js';
import { TreeReader } from '../../tasks/survey/tree-reader.js';
import { TaskWorkReader } from '../../tasks/store/task-work.js';
import { TenantIndex } from '../../tasks/lists/tenant-index.js';
import { ApprovalsController } from './tasks/approvals.controller.js';
import { FeedSlots } from './feed/caller-slots.js';
import { ConsoleFiles } from './pages/console-files.js';
import { ConsolePage } from './pages/console-page.js';
import { ConsolePagesController } from './pages/console-pages.controller.js';
import { ConsoleOptions } from './console.options.js';
import { DeadLettersController } from './dead-letters.controller.js';
import { FeedSources } from './feed/feed-sources.js';
import { FeedController } from './feed/feed.controller.js';
import { MeController } from './me.controller.js';
import { PlatformHealth } from './platform/platform-health.js';
import { PlatformSurvey } from './platform/platform-survey.js';
import { PlatformController } from './platform/platform.controller.js';
import { RemoteAgentsController } from './platform/remote-agents.controller.js';
import { TaskRerunController } from './tasks/task-rerun.controller.js';
import { TaskContents } from './tasks/task-contents.js';
import { TaskListController } from './tasks/task-list.controller.js';
import { TaskController } from './tasks/task.controller.js';
import { TaskWebhooksController } from './tasks/task-webhooks.controller.js';
import { TenantWatch } from './feed/tenant-watch.js';

/** Readers of task state used only by the console. */
const READERS = [TaskWorkReader, TenantIndex, TenantChangesReader, TreeReader, RunSurvey, OpenApprovalsReader];

/** Controllers of the API, except those of webhooks. */
export const CONSOLE_API: readonly Type[] = [
  TaskListController,
  TaskController,
  TaskRerunController,
  ApprovalsController,
  FeedController,
  MeController,
  PlatformController,
  RemoteAgentsController,
];
/** Controllers of the API for enabled webhooks. */
export const WEBHOOKS_API: readonly Type[] = [TaskWebhooksController, DeadLettersController];

/**
 * Owns the console: the pages that operators open in a browser, and the API behind them, which scripts may use as well.
 * Stateless: reads the state of the service, and acts by its operations and stores.
 */
@Module({})
export class ConsoleModule {
  /**
   * @param base dependencies of every route of the API
   * @param others modules of other features with routes of the API, and that of the agents of AGENTS_FILE
   */
  static forRoot(
    options: ConsoleOptions,
    has: { readonly webhooks: boolean },
    base: DynamicModule,
    others: readonly DynamicModule[],
  ): DynamicModule {
    return {
      module: ConsoleModule,
      imports: [base, ...others, FeedModule, RunQueueModule, ProbesModule, ...(has.webhooks ? [PushModule] : [])],
      controllers: [ConsolePagesController, ...CONSOLE_API, ...(has.webhooks ? WEBHOOKS_API : [])],
      providers: [
        { provide: ConsoleOptions, useValue: options },
        {
          provide: AgentSurvey,
          inject: [CommandRedis, { token: AgentDirectory, optional: true }],
          useFactory: (redis: CommandRedis, directory?: AgentDirectory) =>
            new AgentSurvey(directory?.agents ?? [], redis, new RemoteKeys(options.keyPrefix)),
        },
        ...READERS,
        ...[ConsoleFiles, ConsolePage, TaskContents, TenantWatch, FeedSources, FeedSlots],
        ...[PlatformSurvey, PlatformHealth],
      ],
    };
  }
}
