import { Injectable } from '@nestjs/common';
import { A2AError } from '@parley/protocol/model/errors.js';
import type { ProtocolVersion } from '@parley/protocol/model/protocol-version.js';
import { ROOM_BYTES } from '../../platform/traffic/process-memory.js';
import type { Share } from '../../platform/traffic/budget.js';
import { CallerGate } from '../../auth/caller.gate.js';
import type { Principal } from '../../auth/principal.js';
import { clientName, TrafficBudgets } from '../../limits/quotas/traffic-budgets.js';
import type { AnswerRoom } from '../../tasks/record/snapshot.js';

/** The recipient of an answer: the response of HTTP, or the stream of gRPC. */
export interface AnswerReader {
  readonly destroyed: boolean;
  destroy(): unknown;
  once(event: 'close', listener: () => void): unknown;
}

/**
 * How an answer is produced from stored text: passed on unchanged, or decoded and re-encoded, which takes several
 * copies.
 */
export type AnswerMaking = 'passed-on' | 'made';

const COPIES: Readonly<Record<AnswerMaking, number>> = { 'passed-on': 1, made: 3 };

/** Budget shares for large answers: each is counted at its size until its caller has received it (I15). */
@Injectable()
export class AnswerRooms {
  constructor(
    private readonly gate: CallerGate,
    private readonly budgets: TrafficBudgets,
  ) {}

  of(principal: Principal, reader: AnswerReader, making: AnswerMaking): AnswerRoom {
    let share: Share | undefined;
    let held = 0;
    const cut = (): void => {
      reader.destroy();
    };
    return {
      hold: async (bytes, isMade) => {
        const weight = bytes * COPIES[isMade ? 'made' : making];
        const more = weight - held;
        if (more <= 0) return;
        if (weight > ROOM_BYTES) throw tooLarge();
        await this.gate.countBytes(principal, bytes);
        if (share?.grow(more) !== true) {
          share?.free();
          share = await this.budgets.answers.take(clientName(principal), held + more, cut);
          const { free } = share;
          reader.once('close', free);
        }
        held += more;
        if (reader.destroyed) share.free();
      },
    };
  }
}

/** How answers of a version are produced over HTTP. */
export function makingOf(version: ProtocolVersion): AnswerMaking {
  return version === '1.0' ? 'passed-on' : 'made';
}

function tooLarge(): A2AError {
  const text = 'The task is too large for this process to answer with it as a whole: ask with a small historyLength';
  return new A2AError('UnsupportedOperation', text);
}
