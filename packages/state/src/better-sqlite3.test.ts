import { spawnSync } from 'node:child_process';

const SQLITE = new URL('../dist/better-sqlite3.js', import.meta.url).href;

it('loads a version of better-sqlite3 that survives the garbage collection of its statements', () => {
  const script = `
    import { runInNewContext } from 'node:vm';
    import { Sqlite } from ${JSON.stringify(SQLITE)};
    // The loop prepares so many statements that garbage collections happen while it runs.
    const work = 'const db = new Sqlite(":memory:"); for (let i = 0; i < 20_000; i += 1) db.prepare("SELECT " + i).get();';
    runInNewContext('(() => {' + work + '})()', { Sqlite });
    console.log('alive');`;
  const args = ['--input-type=module', '-e', script];
  const { stdout, status, signal } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect({ stdout, status, signal }).toEqual({ stdout: 'alive\n', status: 0, signal: null });
});
