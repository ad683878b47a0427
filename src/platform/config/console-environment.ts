import { IsIn, IsOptional, IsString, IsUrl, MinLength } from 'class-validator';
import { HTTP_URL } from './http-url.js';
import { RegistryEnvironment } from './registry-environment.js';

const CONSOLE_SWITCH = ['on', 'off'] as const;

/** The variables of the console, with those of the registry. */
export class ConsoleEnvironment extends RegistryEnvironment {
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
