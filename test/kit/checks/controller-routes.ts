import type { RequestMethod, Type } from '@nestjs/common';
import { GUARDS_METADATA, INTERCEPTORS_METADATA, METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { Audited } from '../../../src/http/guards/action-audit.interceptor.js';
import { RequireScope } from '../../../src/http/guards/scope.guard.js';
import { Summary } from '../../../src/http/params/summary.js';

/** A route as its controller declares it. */
export interface DeclaredRoute {
  readonly name: string;
  readonly path: string;
  readonly method: RequestMethod;
  readonly guards: readonly unknown[];
  readonly interceptors: readonly unknown[];
  readonly scopes: readonly string[];
  readonly action: string | undefined;
  readonly summary: unknown;
}

/** Every route of controllers, from the controllers themselves: a new one is in here by itself. */
export function routesOf(controllers: readonly Type[]): readonly DeclaredRoute[] {
  return controllers.flatMap((controller) => {
    const methods = Object.getOwnPropertyNames(controller.prototype).map((name) => [name, controller.prototype[name]]);
    const handlers = methods.filter(([, handler]) => Reflect.hasMetadata(METHOD_METADATA, handler));
    const paths = handlers.flatMap(([name, handler]) =>
      [Reflect.getMetadata(PATH_METADATA, handler)].flat().map((path: string) => [name, handler, path] as const),
    );
    return paths.map(([name, handler, path]) => ({
      name: `${controller.name}.${String(name)}`,
      path: pathOf(Reflect.getMetadata(PATH_METADATA, controller), path),
      method: Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod,
      guards: [controller, handler].flatMap((it) => Reflect.getMetadata(GUARDS_METADATA, it) ?? []),
      interceptors: [controller, handler].flatMap((it) => Reflect.getMetadata(INTERCEPTORS_METADATA, it) ?? []),
      scopes: [Reflect.getMetadata(RequireScope.KEY, handler) ?? Reflect.getMetadata(RequireScope.KEY, controller)]
        .flat()
        .filter((scope) => scope !== undefined),
      action: Reflect.getMetadata(Audited.KEY, handler),
      summary: Reflect.getMetadata(Summary.KEY, handler),
    }));
  });
}

/** `/console/api/tasks/:id/cancel` */
function pathOf(...parts: readonly string[]): string {
  return `/${parts
    .flatMap((part) => part.split('/'))
    .filter(Boolean)
    .join('/')}`;
}
