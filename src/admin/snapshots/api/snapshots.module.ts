import { type DynamicModule, Module } from '@nestjs/common';
import { TaskWorkReader } from '../../../tasks/store/task-work.js';
import { TreeReader } from '../../../tasks/survey/tree-reader.js';
import { BundleReader } from '../bundle-reader.js';
import { ServiceVersion, TaskBundleController } from './task-bundle.controller.js';

/** Owns the routes that write bundles. */
@Module({})
export class SnapshotsModule {
  /**
   * @param version version of the service, named in bundles
   * @param base dependencies of every route of the console's API
   */
  static forRoot(version: string, base: DynamicModule): DynamicModule {
    return {
      module: SnapshotsModule,
      imports: [base],
      controllers: [TaskBundleController],
      providers: [{ provide: ServiceVersion, useValue: version }, TaskWorkReader, TreeReader, BundleReader],
    };
  }
}
