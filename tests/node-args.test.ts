import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { NODE_ARGS } from '@mergexo/process';

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const ARGS = NODE_ARGS.join(' ');

describe('the arguments of Node', () => {
  it('keep less than 6 MB for new objects', () => {
    const program = `
      const kept = [];
      for (let count = 0; count < 2_000_000; count += 1) kept[count % 100_000] = { count };
      const spaces = require('node:v8').getHeapSpaceStatistics();
      console.log(spaces.find(({ space_name }) => space_name === 'new_space').space_size);`;
    const bytes = Number(execFileSync(process.execPath, [...NODE_ARGS, '-e', program], { encoding: 'utf8' }));
    expect(bytes).toBeLessThan(6_000_000);
  });

  it.each(['poller', 'worker', 'dashboard'])('are those of `npm run %s`', (app) => {
    expect(JSON.parse(read('package.json')).scripts[app]).toBe(`exec node ${ARGS} apps/${app}/dist/main.js`);
  });

  it('are those of the container', () => {
    expect(read('packaging/container/entrypoint.sh')).toContain(`exec node ${ARGS} "$root/apps/$word/`);
  });
});
