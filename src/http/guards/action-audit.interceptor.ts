import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { type Observable, tap } from 'rxjs';
import { A2AError, type A2AErrorName } from '@parley/protocol/model/errors.js';
import { AuditLog } from '../../audit/audit.log.js';
import { CallerGate } from '../../auth/caller.gate.js';
import { callerOf } from './caller.guard.js';

/** The action of a route in the audit log: `task.cancel`. Routes that change state or show content have one. */
export const Audited = Reflector.createDecorator<string>();

/** The header with the operator's reason for an action; percent-encoded, since headers are ASCII. */
export const WHY_HEADER = 'x-console-why';

/** The path parameters of an action: its task or registered agent. */
interface ActionParams {
  readonly id?: string;
  readonly identifier?: string;
}

type ActionRequest = FastifyRequest<{ Params: ActionParams }>;

/** The agents of actions whose path does not name them. */
const NAMED = new WeakMap<FastifyRequest, string>();

/** Sets the agent for the audit line of a request. Of a URL only origin and path are kept: the rest may be secret. */
export function nameAgent(request: FastifyRequest, agent: string): void {
  const url = /^https?:/i.test(agent) && URL.canParse(agent) ? new URL(agent) : undefined;
  NAMED.set(request, url === undefined ? agent : url.origin + url.pathname);
}

/** Writes an audit line for each action of an operator, done or refused: caller, action, task or agent, and reason. */
@Injectable()
export class ActionAudit implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly audit: AuditLog,
    private readonly gate: CallerGate,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const action = this.reflector.get<string | undefined>(Audited, context.getHandler());
    if (action === undefined) return next.handle();
    const request = context.switchToHttp().getRequest<ActionRequest>();
    return next.handle().pipe(
      tap({
        next: () => {
          this.record(request, action);
        },
        error: (error: unknown) => {
          this.record(request, action, error instanceof A2AError ? error.kind : 'InternalError');
        },
      }),
    );
  }

  private record(request: ActionRequest, action: string, code?: A2AErrorName): void {
    const { tenant, client, subject, method } = callerOf(request);
    this.audit.record({
      caller: { tenant, client, method, ...(subject === undefined ? {} : { subject }) },
      ...{ address: this.gate.addressOf(request), action, taskId: request.params.id, code },
      agent: NAMED.get(request) ?? request.params.identifier,
      ...{ why: whyOf(request), requestId: request.id },
    });
  }
}

function whyOf(request: FastifyRequest): string | undefined {
  const [text] = [request.headers[WHY_HEADER]].flat();
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return text;
  }
}
