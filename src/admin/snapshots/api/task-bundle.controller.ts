import { Readable } from 'node:stream';
import { Controller, Get, Inject, Param, Query, Res, StreamableFile, UseGuards, UseInterceptors } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Principal } from '../../../auth/principal.js';
import { CONSOLE_SCOPES, SCOPE_OF } from '../../../auth/scopes.js';
import { BundleReader } from '../bundle-reader.js';
import { Caller } from '../../../http/guards/caller.guard.js';
import { PassportGuard } from '../../../http/guards/passport.guard.js';
import { RequireScope, ScopeGuard } from '../../../http/guards/scope.guard.js';
import { AnswerRooms } from '../../../http/answer/answer-rooms.js';
import { ValidQuery } from '../../../http/params/valid.pipes.js';
import { AnswerType, Summary } from '../../../http/params/summary.js';
import { ActionAudit, Audited } from '../../../http/guards/action-audit.interceptor.js';
import { ConsoleGuard } from '../../../http/console-api/console.guard.js';
import { BundleDto } from './bundle.dto.js';
import { TaskIdPipe } from '../../../http/console-api/task-id.pipe.js';
import { TenantTasks } from '../../../http/console-api/tenant-tasks.js';

/** Injection token of the version of the service. */
export const ServiceVersion = Symbol('ServiceVersion');

/** All stored data of a task, as lines of JSON: for replays, comparisons and reports. */
@Controller('console/api/tasks/:id/bundle')
@UseGuards(PassportGuard, ScopeGuard, ConsoleGuard)
@UseInterceptors(ActionAudit)
export class TaskBundleController {
  constructor(
    private readonly tasks: TenantTasks,
    private readonly bundles: BundleReader,
    private readonly rooms: AnswerRooms,
    @Inject(ServiceVersion) private readonly version: string,
  ) {}

  /** @throws A2AError TaskNotFound, like the other one */
  @Get('content')
  @Summary('Writes all that is stored of a task as lines of JSON')
  @AnswerType('application/x-ndjson')
  @RequireScope([CONSOLE_SCOPES.observe, SCOPE_OF.GetTask])
  @Audited('task.bundle')
  whole(
    @Caller() caller: Principal,
    @Param('id', TaskIdPipe) id: string,
    @Query(new ValidQuery(BundleDto)) { children }: BundleDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    return this.file({ caller, reply }, id, { isStripped: false, hasChildren: children === 'true' });
  }

  /** Without content: texts and values are replaced by their sizes and marks. */
  @Get('stripped')
  @Summary('Writes the same without content')
  @AnswerType('application/x-ndjson')
  @RequireScope(CONSOLE_SCOPES.observe)
  @Audited('task.bundle-stripped')
  stripped(
    @Caller() caller: Principal,
    @Param('id', TaskIdPipe) id: string,
    @Query(new ValidQuery(BundleDto)) { children }: BundleDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    return this.file({ caller, reply }, id, { isStripped: true, hasChildren: children === 'true' });
  }

  private async file(
    { caller, reply }: { readonly caller: Principal; readonly reply: FastifyReply },
    id: string,
    has: { readonly isStripped: boolean; readonly hasChildren: boolean },
  ): Promise<StreamableFile> {
    const facts = await this.tasks.facts(caller, id);
    await this.bundles.makeRoom(facts, this.rooms.of(caller, reply.raw, 'made'));
    const lines = this.bundles.of(facts, { service: this.version, ...has });
    const disposition = `attachment; filename="task-${id.slice(0, 8)}.jsonl"`;
    return new StreamableFile(Readable.from(lines), { type: 'application/x-ndjson', disposition });
  }
}
