// Moves the clock of a process, as if its computer had a wrong time: `node --import shift-clock.mjs`, with
// CLOCK_SHIFT in milliseconds. Timers and monotonic clocks stay as they are.
const Real = Date;
const shift = Number(process.env.CLOCK_SHIFT);

globalThis.Date = class ShiftedDate extends Real {
  constructor(...parts) {
    if (parts.length === 0) super(Real.now() + shift);
    else super(...parts);
  }

  static now() {
    return Real.now() + shift;
  }
};
