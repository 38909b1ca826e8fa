/** A server-sent event. The dashboard sends its data as JSON. */
export type StreamEvent = { id: string | undefined; event: string; data: unknown };

/** Reads the server-sent events of a URL until `isLast` accepts one. */
export async function readEvents(
  url: string,
  isLast: (event: StreamEvent) => boolean,
  headers: Record<string, string> = {},
): Promise<StreamEvent[]> {
  const stop = new AbortController();
  const response = await fetch(url, {
    headers,
    signal: AbortSignal.any([stop.signal, AbortSignal.timeout(60_000)]),
  });
  const events: StreamEvent[] = [];
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of response.body ?? []) {
    const blocks = `${rest}${decoder.decode(chunk, { stream: true })}`.split('\n\n');
    rest = blocks.pop() ?? '';
    const fresh = blocks.flatMap(readEvent);
    events.push(...fresh);
    if (fresh.some(isLast)) break;
  }
  stop.abort();
  return events;
}

function readEvent(block: string): StreamEvent[] {
  const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s, 2)));
  const { id, event, data } = fields;
  return event === undefined ? [] : [{ id, event, data: JSON.parse(data ?? 'null') }];
}
