import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const read = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), 'utf8');

describe('.ci/run', () => {
  it('waits for a line that the demo prints when its scripted part ends', () => {
    const awaited = [...read('.ci/run').matchAll(/grep -q '([^']+)'/g)].map(([, line = '']) => line);
    expect(new Set(awaited).size).toBe(1);
    expect(read('apps/demo/src/invite.ts')).toContain(awaited[0]);
  });

  it('installs the npm package without root for every Node version, and starts it', () => {
    const script = read('.ci/run');
    expect(script.match(/^ *\(?installed "/gm)).toHaveLength(2);
    for (const step of ['npm install', 'npx mergexo demo', 'npx mergexo init', 'mergexo up'])
      expect(script).toMatch(new RegExp(`unprivileged "\\$dir" .*${step}`));
    const words = ['--reuid', 'nobody', '--clear-groups'];
    expect(words.filter((word) => !script.includes(word))).toEqual([]);
  });

  it('starts the container image, and does not lose its result', () => {
    expect(read('.ci/run')).toMatch(/compose\/main\.js --smoke[\s\S]*^wait "\$compose" \|\| code=/m);
  });
});
