import { type DynamicModule, Global, Module, type ValueProvider } from '@nestjs/common';

/**
 * The options of the feature modules by their tokens (`TaskOptions` …): plain values, made from the variables.
 *
 * Global because options are no feature: only the root of an application knows them, and every module has its own.
 */
@Global()
@Module({})
export class OptionsModule {
  static forRoot(options: readonly ValueProvider[]): DynamicModule {
    return {
      module: OptionsModule,
      providers: [...options],
      exports: options.map(({ provide }) => provide),
    };
  }
}
