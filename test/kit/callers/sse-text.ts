/** One event of an event stream as text. */
export interface SseFrameText {
  readonly id: string | undefined;
  readonly data: string;
}

/** The events in the text of a whole stream; comments are left out. */
export function framesOf(text: string): readonly SseFrameText[] {
  return text.split('\n\n').flatMap((frame) => {
    const data = /^data: (.*)$/m.exec(frame)?.[1];
    return data === undefined ? [] : [{ id: /^id: (.*)$/m.exec(frame)?.[1], data }];
  });
}
