/** Loaded before a program. Shifts its wall clock by the milliseconds in a file, as if somebody had set it. */
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
