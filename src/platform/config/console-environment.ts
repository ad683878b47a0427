import { IsIn, IsOptional, IsString, IsUrl, MinLength } from 'class-validator';
import { HTTP_URL } from './http-url.js';

const CONSOLE_SWITCH = ['on', 'off'] as const;

/** The variables of the console. */
export class ConsoleEnvironment {
  @IsOptional()
  @IsIn(CONSOLE_SWITCH)
  readonly CONSOLE?: (typeof CONSOLE_SWITCH)[number];

  @IsOptional()
  @IsString()
  @MinLength(1)
  readonly CONSOLE_CLIENT_ID?: string;

  @IsOptional()
  @IsString()
  readonly CONSOLE_PLATFORM_CLIENTS?: string;

  @IsOptional()
  @IsUrl(HTTP_URL)
  readonly TRACE_URL_TEMPLATE?: string;

  @IsOptional()
  @IsUrl(HTTP_URL)
  readonly LOG_URL_TEMPLATE?: string;
}
