/** Replaces everything in a prompt that differs between two runs of the same story, and shortens repeated words. */
export function normalisePrompt(prompt: string, places: Record<string, string>): string {
  const known = Object.entries(places).reduce((text, [from, to]) => text.replaceAll(from, to), prompt);
  return shorten(
    numberAll(known, [
      // This pattern comes first, because a part of the id can look like any other number.
      [/(?<=\/assets\/)[0-9a-f-]{36}\b/g, 'upload'],
      [/\b[0-9a-f]{64}\b/g, 'turn'],
      [/\b[0-9a-f]{40}\b/g, 'sha'],
      // The rest of a sha, after a cut in the middle of the sha.
      [/(?<=\)\n)[0-9a-f]{7,39}(?=\. )/g, 'end of a sha'],
      // The twin's ids start at 1000, except for the numbers of issues.
      [/\b1\d{3}\b/g, 'id'],
      [/(?<=\bcommit )[0-9a-f]{12}\b/g, 'commit'],
      [/(?<=\/turn-)\w{6}\b/g, 'directory'],
    ]).replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, '<time>'),
  );
}

/** Gives equal matches the same number, in order of appearance: `<sha 1>`, `<sha 2>`. */
function numberAll(text: string, kinds: readonly (readonly [RegExp, string])[]): string {
  return kinds.reduce((before, [pattern, name]) => {
    const seen: string[] = [];
    return before.replace(pattern, (match) => {
      if (!seen.includes(match)) seen.push(match);
      return `<${name} ${seen.indexOf(match) + 1}>`;
    });
  }, text);
}

function shorten(text: string): string {
  return text.replace(/\b((?:\w|[ \n](?=\w))+?[ \n])\1{19,}/g, (all: string, unit: string) => {
    const times = all.length / unit.length;
    return `<${JSON.stringify(unit).slice(1, -1)}, ${times} times>`;
  });
}
