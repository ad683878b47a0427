import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { Probes } from './probes.js';

/** Terminus would log each probe that is answered with 503, and the answer has the reasons. */
const terminus = TerminusModule.forRoot({ logger: false });

/** What a feature needs to add health indicators: the list of them, and Terminus. Serves nothing. */
@Module({ imports: [terminus], providers: [Probes], exports: [terminus, Probes] })
export class ProbesModule {}
