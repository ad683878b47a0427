import { Module } from '@nestjs/common';
import { IntentCodec } from './intent.codec.js';
import { Intents } from './intents.js';

/** Owns the language of intents: how a call by name becomes a message, and a task the answer. Knows no binding. */
@Module({ providers: [Intents, IntentCodec], exports: [Intents, IntentCodec] })
export class IntentModule {}
