/** The message is static and the facts are fields, so that log lines can be searched and counted. */
type Write = (fields: Readonly<Record<string, unknown>>, message: string) => void;

export type Log = { debug: Write; info: Write; warn: Write; error: Write };

export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };

function nothing(): void {}
