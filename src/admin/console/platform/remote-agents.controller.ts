import { Controller, Get, UseGuards } from '@nestjs/common';
import { AgentSurvey, type SurveyedAgent } from '../../../remote-agents/directory/agent-survey.js';
import { CONSOLE_SCOPES } from '../../../auth/scopes.js';
import { PassportGuard } from '../../../http/guards/passport.guard.js';
import { RequireScope, ScopeGuard } from '../../../http/guards/scope.guard.js';
import { Summary } from '../../../http/params/summary.js';
import { ConsoleGuard } from '../../../http/console-api/console.guard.js';

/** The configured remote agents: they serve all tenants, so only operators of the platform may see them. */
@Controller('console/api/platform/agents')
@UseGuards(PassportGuard, ScopeGuard, ConsoleGuard)
@RequireScope(CONSOLE_SCOPES.platform)
export class RemoteAgentsController {
  constructor(private readonly survey: AgentSurvey) {}

  @Get()
  @Summary('Lists the remote agents of AGENTS_FILE with their cards and their breakers')
  async list(): Promise<{ readonly agents: readonly SurveyedAgent[] }> {
    return { agents: await this.survey.list() };
  }
}
