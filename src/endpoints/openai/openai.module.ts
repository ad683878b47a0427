import { type DynamicModule, Module } from '@nestjs/common';
import { ChatController } from './chat/chat.controller.js';
import { ChatRuns } from './chat/chat-runs.js';
import { ChatTurns } from './chat/chat-turns.js';
import { ResponseAnswers } from './responses/response-answers.js';
import { ResponseRuns } from './responses/response-runs.js';
import { ResponseTurns } from './responses/response-turns.js';
import { ResponsesController } from './responses/responses.controller.js';
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
      controllers: [ModelsController, ChatController, ResponsesController],
      providers: [
        { provide: OpenAiSettings, useValue: settings },
        OpenAiGuard,
        OfferedModels,
        ChatTurns,
        ChatRuns,
        ResponseTurns,
        ResponseRuns,
        ResponseAnswers,
      ],
    };
  }
}
