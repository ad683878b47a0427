import { IsIn, IsOptional, IsString, IsUrl, MinLength } from 'class-validator';
import { HTTP_URL } from '../../platform/config/checks/http-url.js';
import { Setting } from '../../platform/config/settings/setting.js';

const CONSOLE_SWITCH = ['on', 'off'] as const;

/** The operators' console under /console, and its API (docs/console.md). */
export class ConsoleSettings {
  @Setting(
    'on | off. If empty, it is on where only this machine can call (HOST is loopback) and where CONSOLE_CLIENT_ID is set.',
  )
  @IsOptional()
  @IsIn(CONSOLE_SWITCH)
  readonly CONSOLE?: (typeof CONSOLE_SWITCH)[number];

  @Setting(
    "The console's client at JWT_ISSUER: a public client (single-page application) with authorization code and PKCE, and <service>/console/ as its redirect. If empty, people paste an API key or a token, which the page keeps in memory only.",
  )
  @IsOptional()
  @IsString()
  @MinLength(1)
  readonly CONSOLE_CLIENT_ID?: string;

  @Setting(
    'Clients that may see queue, workers and health over all tenants, separated by commas; they need the scope a2a:platform.observe as well.',
  )
  @IsOptional()
  @IsString()
  readonly CONSOLE_PLATFORM_CLIENTS?: string;

  @Setting('Address of a trace in your tracing system, with {traceId} in it; tasks in the console link to it.', {
    was: 'TRACE_URL_TEMPLATE',
  })
  @IsOptional()
  @IsUrl(HTTP_URL)
  readonly traceUrl?: string;

  @Setting('Address of the lines of a task in your log system, with {taskId} or {traceId} in it.', {
    was: 'LOG_URL_TEMPLATE',
  })
  @IsOptional()
  @IsUrl(HTTP_URL)
  readonly logUrl?: string;
}
