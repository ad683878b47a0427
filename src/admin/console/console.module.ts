import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { ProbesModule } from '../../platform/health/probes.module.js';
import { CommandRedis } from '../../platform/redis/connection/connections.js';
import { RedisModule } from '../../platform/redis/redis.module.js';
import { OpenApprovalsReader } from '../../operations/approval/open-approvals.js';
import { PlaygroundModule } from '../playground/playground.module.js';
import { PushModule } from '../../webhooks/push.module.js';
import { AgentSurvey } from '../../remote-agents/directory/agent-survey.js';
import { RemoteKeys } from '../../remote-agents/directory/remote.keys.js';
import { RunQueueModule } from '../../runs/queue/run-queue.module.js';
import { FeedModule } from '../../tasks/feed/feed.module.js';
import { RunSurvey } from '../../tasks/survey/run-survey.js';
import { TenantChangesReader } from '../../tasks/survey/tenant-changes.js';
import { TreeReader } from '../../tasks/survey/tree-reader.js';
import { TaskInspector } from '../../tasks/lists/task-inspector.js';
import { TaskWorkReader } from '../../tasks/store/task-work.js';
import { TaskModule } from '../../tasks/task.module.js';
import { TenantIndex } from '../../tasks/lists/tenant-index.js';
import { BundleReader } from '../snapshots/bundle-reader.js';
import { LimitModule } from '../../limits/limit.module.js';
import { GuardsModule } from '../../http/guards/guards.module.js';
import { CallsModule } from '../../http/binding/calls.module.js';
import { FeedRunner } from '../../http/binding/feed.runner.js';
import { SseModule } from '../../http/sse/sse.module.js';
import { ApprovalsController } from './tasks/approvals.controller.js';
import { CallSlots, FeedSlots } from './feed/caller-slots.js';
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
import { CallRoom } from './playground/call-room.js';
import { TriedAgentsController } from './playground/tried-agents.controller.js';
import { TriedCallsController } from './playground/tried-calls.controller.js';
import { WebhookBinController } from './playground/webhook-bin.controller.js';
import { RemoteAgentsController } from './platform/remote-agents.controller.js';
import { TaskBundleController } from './tasks/task-bundle.controller.js';
import { TaskRerunController } from './tasks/task-rerun.controller.js';
import { TaskContents } from './tasks/task-contents.js';
import { TaskListController } from './tasks/task-list.controller.js';
import { TaskController } from './tasks/task.controller.js';
import { TaskWebhooksController } from './tasks/task-webhooks.controller.js';
import { TenantTasks } from './tasks/tenant-tasks.js';
import { TenantWatch } from './feed/tenant-watch.js';

/** Readers of task state used only by the console. */
const READERS = [
  ...[TaskInspector, TaskWorkReader, TenantIndex, TenantChangesReader, TreeReader, RunSurvey],
  ...[OpenApprovalsReader, BundleReader],
];

/** Controllers of the API, except those of webhooks. */
export const CONSOLE_API: readonly Type[] = [
  ...[
    TaskListController,
    TaskController,
    TaskBundleController,
    TaskRerunController,
    ApprovalsController,
    FeedController,
    MeController,
    PlatformController,
    RemoteAgentsController,
    ...[TriedAgentsController, TriedCallsController],
  ],
];
/** Controllers of the API for enabled webhooks. */
export const WEBHOOKS_API: readonly Type[] = [TaskWebhooksController, DeadLettersController, WebhookBinController];

/**
 * Owns the console: the pages that operators open in a browser, and the API behind them, which scripts may use as well.
 * Stateless: reads the state of the service, and acts by its operations and stores.
 */
@Module({})
export class ConsoleModule {
  /**
   * @param operations operations for answering questions
   * @param known modules with the known agents: of AGENTS_FILE, of the registry
   */
  static forRoot(
    options: ConsoleOptions,
    has: { readonly webhooks: boolean },
    operations: DynamicModule,
    known: readonly DynamicModule[],
  ): DynamicModule {
    return {
      module: ConsoleModule,
      imports: [
        operations,
        PlaygroundModule.forRoot(options, known),
        ...[GuardsModule, LimitModule, CallsModule, SseModule, RedisModule],
        ...[TaskModule, FeedModule, RunQueueModule, ProbesModule],
        ...(has.webhooks ? [PushModule] : []),
      ],
      controllers: [ConsolePagesController, ...CONSOLE_API, ...(has.webhooks ? WEBHOOKS_API : [])],
      providers: [
        { provide: ConsoleOptions, useValue: options },
        {
          provide: AgentSurvey,
          inject: [CommandRedis],
          useFactory: (redis: CommandRedis) => {
            return new AgentSurvey(options.agents, redis, new RemoteKeys(options.keyPrefix));
          },
        },
        ...READERS,
        ...[
          ConsoleFiles,
          ConsolePage,
          TenantTasks,
          TaskContents,
          TenantWatch,
          FeedSources,
          ...[FeedRunner, FeedSlots, CallSlots, CallRoom],
          PlatformSurvey,
          PlatformHealth,
        ],
      ],
    };
  }
}
