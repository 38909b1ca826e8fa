/** The media types that change an answer's form; everything else is JSON. */
export function mediaOf(accept: string): 'json' | 'diff' | 'patch' | 'raw' | 'sha' {
  const match = /application\/vnd\.github\.(?:v3\.)?(diff|patch|raw|sha)\b/.exec(accept);
  const found = match?.[1];
  return found === 'diff' || found === 'patch' || found === 'raw' || found === 'sha' ? found : 'json';
}
