/** Returns the value; undefined if the read fails, for example because the process has ended. */
export function attempt<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
