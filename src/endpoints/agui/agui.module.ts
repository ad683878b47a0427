import { type DynamicModule, Module } from '@nestjs/common';
import { AguiController } from './agui.controller.js';
import { AguiGuard } from './agui.guard.js';
import { AguiSettings } from './agui.settings.js';
import { Conversations } from './conversations.js';
import { PageRuns } from './page-runs.js';
import { PageStreams } from './page-streams.js';

/** The endpoint of web pages with an AG-UI client. Stores nothing: runs, answers and conversations are tasks. */
@Module({})
export class AguiModule {
  /** @param binding dependencies of every binding */
  static forRoot(settings: AguiSettings, binding: DynamicModule): DynamicModule {
    return {
      module: AguiModule,
      imports: [binding],
      controllers: [AguiController],
      providers: [{ provide: AguiSettings, useValue: settings }, AguiGuard, PageRuns, PageStreams, Conversations],
    };
  }
}
