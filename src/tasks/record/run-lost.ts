/** The run lost its task while it wrote: another run has it, or it was canceled. */
export class RunLost extends Error {
  override readonly name = 'RunLost';
}
