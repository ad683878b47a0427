import { Controller, Get, UseGuards } from '@nestjs/common';
import { CONSOLE_SCOPES } from '../../../auth/scopes.js';
import { PassportGuard } from '../../../http/guards/passport.guard.js';
import { RequireScope, ScopeGuard } from '../../../http/guards/scope.guard.js';
import { Summary } from '../../../http/params/summary.js';
import { ConsoleGuard } from '../../../http/console-api/console.guard.js';
import { type HealthView, PlatformHealth } from './platform-health.js';
import { PlatformSurvey, type QueueView, type WorkersView } from './platform-survey.js';

/** The service over all tenants: counts and names, no content. */
@Controller('console/api/platform')
@UseGuards(PassportGuard, ScopeGuard, ConsoleGuard)
@RequireScope(CONSOLE_SCOPES.platform)
export class PlatformController {
  constructor(
    private readonly survey: PlatformSurvey,
    private readonly checks: PlatformHealth,
  ) {}

  @Get('queue')
  @Summary('Counts waiting and held runs over all tenants')
  queue(): Promise<QueueView> {
    return this.survey.queue();
  }

  @Get('workers')
  @Summary('Lists the processes of the service with the runs that they hold')
  workers(): Promise<WorkersView> {
    return this.survey.workers();
  }

  @Get('health')
  @Summary('Checks the service')
  health(): Promise<HealthView> {
    return this.checks.check();
  }
}
