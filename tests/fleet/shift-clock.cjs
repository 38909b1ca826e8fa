/** Loaded before a program: its wall clock is off by the milliseconds that a file says, as after somebody set the clock. */
const { readFileSync } = require('node:fs');

const RealDate = Date;
let offsetMs = 0;
setInterval(() => {
  try {
    offsetMs = Number(readFileSync(process.env.SHIFT_CLOCK_FILE, 'utf8'));
  } catch {
    offsetMs = 0;
  }
}, 50).unref();

globalThis.Date = class extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(RealDate.now() + offsetMs);
    else super(...args);
  }
  static now() {
    return RealDate.now() + offsetMs;
  }
};
