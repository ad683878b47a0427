import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

const MIB = 1_048_576;
/** What a process takes that does nothing: code, modules, connections, young garbage. Measured for each role: 92 to 107 MiB. */
const BASE_BYTES = 128 * MIB;
const MIN_ROOM_BYTES = 64 * MIB;

/** Bytes that this process may take: by its container, by the machine, and by V8 (texts are in its heap, bytes are not). */
function processBytes(): number {
  const container = process.constrainedMemory();
  const machine = totalmem();
  const memory = container > 0 && container < machine ? container : machine;
  return Math.min(memory, getHeapStatistics().heap_size_limit * 2);
}

/** Bytes of this process that are left for what its callers bring and fetch. */
export const ROOM_BYTES = Math.max(MIN_ROOM_BYTES, processBytes() - BASE_BYTES);

/** A part of that room, at least and at most so many MiB. */
export function partOfRoom(part: number, min: number, max: number): number {
  return Math.floor(Math.min(max * MIB, Math.max(min * MIB, ROOM_BYTES * part)));
}
