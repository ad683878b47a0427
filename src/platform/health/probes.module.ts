import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { Probes } from './probes.js';

/** Terminus would log each probe answered with 503; the answer contains the reasons. */
const terminus = TerminusModule.forRoot({ logger: false });

/** The shared providers of health indicators: their list, and Terminus. Serves nothing. */
@Module({ imports: [terminus], providers: [Probes], exports: [terminus, Probes] })
export class ProbesModule {}
