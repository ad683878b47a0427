/**
 * Measures what validating the params of a call costs with class-validator alone and with our fast path
 * (src/operation/fast-validation.ts): the figures of decision 0012.
 *
 *   npm run build && node scripts/params.mjs
 */
import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { validate } from 'class-validator';
import { SendMessageDto } from '../dist/operation/dto/send-message.dto.js';
import { GetTaskDto } from '../dist/operation/dto/task.dto.js';
import { fastValidated } from '../dist/operation/fast-validation.js';

const CALLS = 20_000;
const ROUNDS = 5;
const OPTIONS = { whitelist: true, forbidUnknownValues: true, validationError: { target: false } };

const message = { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'Hello' }], metadata: { skillId: 'echo' } };
/** @type {[string, import('class-transformer').ClassConstructor<object>, object][]} */
const cases = [
  ['SendMessage, one part', SendMessageDto, { message }],
  [
    'SendMessage, 20 parts',
    SendMessageDto,
    { message: { ...message, parts: Array.from({ length: 20 }, () => ({ text: 'Hello' })) } },
  ],
  ['GetTask', GetTaskDto, { id: '0859e784-222f-43dc-9e0e-2fd8fa266010', historyLength: 0 }],
];
for (const [name, dto, input] of cases) {
  const library = await microseconds(async () => {
    await validate(plainToInstance(dto, input), OPTIONS);
  });
  const ours = await microseconds(async () => {
    if (fastValidated(dto, input) === undefined) throw new Error('not sound');
  });
  console.log(`${name}: class-validator ${library.toFixed(1)} µs, fast path ${ours.toFixed(1)} µs`);
}

/** Median processor time of a call. @param {() => Promise<void>} call */
async function microseconds(call) {
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const began = process.cpuUsage();
    for (let at = 0; at < CALLS; at += 1) await call();
    const { user, system } = process.cpuUsage(began);
    rounds.push((user + system) / CALLS);
  }
  return rounds.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? NaN;
}
