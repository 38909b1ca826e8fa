/**
 * Receives a process's output. Returns false if the output is too long, and MergeXO then ends the process.
 */
export type Sink = (chunk: Buffer) => boolean;

type Collected = { sink: Sink; text(): string };

/** Keeps the whole output. MergeXO ends the process if the output exceeds the limit. */
export function collectAll(maxBytes: number): Collected {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    sink: (chunk) => {
      size += chunk.length;
      if (size > maxBytes) chunks.length = 0;
      else chunks.push(chunk);
      return size <= maxBytes;
    },
    text: () => Buffer.concat(chunks).toString('utf8'),
  };
}

/** Keeps only the last characters, because the end of a log matters most. */
export function collectTail(maxCharacters: number): Collected {
  const maxBytes = 4 * maxCharacters;
  let tail = Buffer.alloc(0);
  let cut = false;
  return {
    sink: (chunk) => {
      cut ||= tail.length + chunk.length > maxBytes;
      // Copies the text, because a slice would keep the whole chunk in memory.
      tail = Buffer.from(Buffer.concat([tail, chunk.subarray(-maxBytes)]).subarray(-maxBytes));
      return true;
    },
    text: () => {
      const text = tail.toString('utf8');
      if (!cut && text.length <= maxCharacters) return text;
      // Removes the rest of a character that the cut split.
      return `…${text.slice(1 - maxCharacters).replace(/^[\ufffd\udc00-\udfff]+/, '')}`;
    },
  };
}
