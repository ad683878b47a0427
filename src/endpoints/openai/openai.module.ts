import { type DynamicModule, Module } from '@nestjs/common';
import { ChatController } from './chat.controller.js';
import { ChatRuns } from './chat-runs.js';
import { ChatTurns } from './chat-turns.js';
import { ModelsController } from './models.controller.js';
import { OfferedModels } from './offered-models.js';
import { OpenAiGuard } from './openai.guard.js';
import { OpenAiSettings } from './openai.settings.js';

/** The endpoint of clients of OpenAI's API. Stores nothing: completions and conversations are tasks. */
@Module({})
export class OpenAiModule {
  /** @param binding dependencies of every binding */
  static forRoot(settings: OpenAiSettings, binding: DynamicModule): DynamicModule {
    return {
      module: OpenAiModule,
      imports: [binding],
      controllers: [ModelsController, ChatController],
      providers: [{ provide: OpenAiSettings, useValue: settings }, OpenAiGuard, OfferedModels, ChatTurns, ChatRuns],
    };
  }
}
