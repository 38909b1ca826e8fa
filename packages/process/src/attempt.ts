/** Returns undefined if reading fails, because the process has ended or belongs to another user. */
export function attempt<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
