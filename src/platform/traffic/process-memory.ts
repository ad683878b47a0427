import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

const MIB = 1_048_576;
/** Memory of an idle process: code, modules, connections, young garbage. Measured for each role: 92 to 107 MiB. */
const BASE_BYTES = 128 * MIB;
const MIN_ROOM_BYTES = 64 * MIB;

/**
 * Memory available to this process: the minimum by container, machine and V8 (texts are in its heap, bytes are not).
 */
function processBytes(): number {
  const container = process.constrainedMemory();
  const machine = totalmem();
  const memory = container > 0 && container < machine ? container : machine;
  return Math.min(memory, getHeapStatistics().heap_size_limit * 2);
}

/** Bytes of this process left for its callers' data. */
export const ROOM_BYTES = Math.max(MIN_ROOM_BYTES, processBytes() - BASE_BYTES);

/** A share of that room, between the given MiB. */
export function partOfRoom(part: number, min: number, max: number): number {
  return Math.floor(Math.min(max * MIB, Math.max(min * MIB, ROOM_BYTES * part)));
}
