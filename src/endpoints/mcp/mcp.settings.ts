import { IsIn, IsOptional, IsString } from 'class-validator';
import { Setting } from '../../platform/config/settings/setting.js';
import { Switch } from '../../platform/config/checks/switch.js';
import { WholeNumber } from '../../platform/config/checks/numbers.js';

/** The served revisions of MCP: the stateless one, those with sessions, or both. */
const MCP_ERAS = ['both', 'modern', 'legacy'] as const;

/** The MCP endpoint at /mcp, where every skill is a tool (docs/mcp.md). */
export class McpSettings {
  @Setting('true: the endpoint is on. Several processes need the same SECRET_KEYS.')
  @Switch()
  readonly MCP: boolean = false;

  @Setting(
    'Origins of web pages that may call /mcp, separated by commas. Others are refused; programs send no origin.',
    {
      was: 'MCP_ALLOWED_ORIGINS',
    },
  )
  @IsOptional()
  @IsString()
  readonly allowedOrigins?: string;

  @Setting('Revisions: both | modern (2026-07-28) | legacy (2025-11-25 and 2025-06-18, with sessions).', {
    was: 'MCP_ERAS',
  })
  @IsIn(MCP_ERAS)
  readonly eras: (typeof MCP_ERAS)[number] = 'both';

  @Setting('Milliseconds after which a tool call becomes a task handle, for clients with the tasks extension.', {
    was: 'MCP_TASK_AFTER_MS',
  })
  @WholeNumber(0, 60_000)
  readonly taskAfterMs: number = 2_000;

  @Setting('Milliseconds for which the calls of other clients are held.', { was: 'MCP_WAIT_MS' })
  @WholeNumber(100, 600_000)
  readonly waitMs: number = 50_000;

  @Setting('true: tools to read, answer and cancel tasks, for hosts without the tasks extension.', {
    was: 'MCP_TASK_TOOLS',
  })
  @Switch()
  readonly taskTools: boolean = true;

  @Setting('Audience of access tokens for /mcp, which other endpoints refuse. Default: PUBLIC_URL with /mcp.', {
    was: 'MCP_AUDIENCE',
  })
  @IsOptional()
  @IsString()
  readonly audience?: string;

  @Setting('true: /mcp also accepts tokens for the service itself (JWT_AUDIENCE).', {
    was: 'MCP_ACCEPT_SERVICE_AUDIENCE',
  })
  @Switch()
  readonly acceptServiceAudience: boolean = false;
}
