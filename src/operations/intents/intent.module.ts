import { Module } from '@nestjs/common';
import { IntentCodec } from './intent.codec.js';
import { Intents } from './intents.js';

/** Owns intents: the mapping of calls by name to messages, and of tasks to answers. Knows no binding. */
@Module({ providers: [Intents, IntentCodec], exports: [Intents, IntentCodec] })
export class IntentModule {}
