import { Module } from '@nestjs/common';
import { Blocks } from './blocks.js';

/** Owns the operator's block list: who may do nothing from now on. Knows no calls, tasks and webhooks. */
@Module({ providers: [Blocks], exports: [Blocks] })
export class BlockModule {}
