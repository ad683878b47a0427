import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { type LoadedSkills, skillModules } from './app.skills.js';
import type { Environment } from './app.environment.js';
import { constructorFault, injectionFault } from '../skill/injection-fault.js';

@Module({})
class SkillsAlone {}

/**
 * Creates the modules of a start with these skills, without any connection: the check of `parley build` and `parley ops
 * doctor`. Throws the error of a start.
 */
export async function makeSkills(environment: Environment, skills: LoadedSkills): Promise<void> {
  const root = { module: SkillsAlone, imports: [...skillModules(environment, skills)] };
  await NestFactory.create(root, new FastifyAdapter(), { logger: false, abortOnError: false });
}

/** The reasons why a start would refuse these skills, a line each. */
export async function skillFaults(environment: Environment, skills: LoadedSkills): Promise<readonly string[]> {
  try {
    await makeSkills(environment, skills);
    return [];
  } catch (error) {
    return startReason(error).split('\n');
  }
}

/** The reason of a failed start, for the operator. */
export function startReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return injectionFault(error) ?? constructorFault(error) ?? error.message;
}
