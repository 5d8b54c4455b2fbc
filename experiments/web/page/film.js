/** Frames shown one after the other at a pace, so that what others do can be followed. */

import { wantsLessMotion } from "./dom.js";

/** Milliseconds between two frames. */
export const PACES = { slow: 1500, normal: 850, fast: 350, instant: 0 };

/**
 * A film: `add(frames)` queues frames, `onFrame(frame, {last})` shows one, `pace()` says the
 * milliseconds between two. The first frame of an idle film is shown at once; `skip()` shows
 * all that wait.
 */
export function createFilm({ onFrame, pace }) {
  const waiting = [];
  let timer = 0;

  function showNext() {
    timer = 0;
    const frame = waiting.shift();
    if (!frame) return;
    onFrame(frame, { last: waiting.length === 0 });
    if (waiting.length > 0) wait();
  }

  function wait() {
    const pause = wantsLessMotion() ? 0 : pace();
    if (pause > 0) timer = setTimeout(showNext, pause);
    else skip();
  }

  function skip() {
    clearTimeout(timer);
    timer = 0;
    while (waiting.length > 0) showOne();
  }

  function showOne() {
    const frame = waiting.shift();
    onFrame(frame, { last: waiting.length === 0 });
  }

  return {
    add(frames) {
      const idle = waiting.length === 0 && timer === 0;
      waiting.push(...frames);
      if (idle) showNext();
    },
    skip,
    stop() {
      clearTimeout(timer);
      timer = 0;
      waiting.length = 0;
    },
    get running() {
      return waiting.length > 0;
    },
  };
}
