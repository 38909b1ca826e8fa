import { existsSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { silentLog } from '@mergexo/core/basics';
import type { FreezeMessage } from '@mergexo/core/ledger';
import { referToSelf } from '@mergexo/process';
import { aPlan, createTemporaryDirectory } from '@mergexo/testkit';
import { openSpool } from './spool.js';

const message: FreezeMessage = {
  kind: 'freeze',
  turnKey: 'a'.repeat(64),
  attempt: 2,
  proof: 'f'.repeat(64),
  parcel: aPlan('p'),
  finished: false,
};

describe('the spool', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  beforeEach(() => {
    directory = createTemporaryDirectory();
  });
  afterEach(() => directory.remove());

  it('keeps a plan in a private file until the plan is dropped, and then removes its empty directory', async () => {
    const spool = openSpool(directory.path, 'w1', silentLog);
    await spool.keep(message);
    const file = join(directory.path, 'w1', `${message.turnKey}-2.json`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(directory.path, 'w1')).mode & 0o777).toBe(0o700);
    spool.close();
    expect(existsSync(file)).toBe(true);
    spool.drop(message);
    spool.close();
    expect(readdirSync(directory.path)).toEqual([]);
  });

  it('adopts the plans of a dead worker once, and ignores those of living workers', async () => {
    const living = openSpool(directory.path, 'living', silentLog);
    await living.keep(message);
    const dead = join(directory.path, 'dead');
    mkdirSync(dead);
    writeFileSync(join(dead, 'owner.json'), JSON.stringify({ pid: process.pid, identity: 'another start' }));
    writeFileSync(join(dead, `${message.turnKey}-1.json`), JSON.stringify({ ...message, attempt: 1 }));
    writeFileSync(join(dead, `${message.turnKey}-3.json.new`), 'half a pl');
    const spool = openSpool(directory.path, 'w2', silentLog);
    expect(spool.adoptLeftovers()).toEqual([{ ...message, attempt: 1 }]);
    expect(spool.adoptLeftovers()).toEqual([]);
    expect(existsSync(dead)).toBe(false);
  });

  it('judges a worker in another container by its last sign of life, because its process id says nothing here', () => {
    const owner = JSON.stringify({ ...referToSelf(), host: 'another-container' });
    const spool = openSpool(directory.path, 'w2', silentLog);
    const dead = join(directory.path, 'dead');
    mkdirSync(dead);
    writeFileSync(join(dead, 'owner.json'), owner);
    writeFileSync(join(dead, `${message.turnKey}-2.json`), JSON.stringify(message));
    expect(spool.adoptLeftovers()).toEqual([]);
    const longAgo = new Date(Date.now() - 60_000);
    utimesSync(join(dead, 'owner.json'), longAgo, longAgo);
    expect(spool.adoptLeftovers()).toEqual([message]);
    expect(existsSync(dead)).toBe(false);
    spool.close();
  });

  it('shows regularly that its worker is alive, and restores a directory that another worker removed', () => {
    jest.useFakeTimers({ doNotFake: ['performance'] });
    try {
      const spool = openSpool(directory.path, 'w1', silentLog);
      const owner = join(directory.path, 'w1', 'owner.json');
      const longAgo = new Date(0);
      utimesSync(owner, longAgo, longAgo);
      jest.advanceTimersByTime(5_000);
      expect(statSync(owner).mtimeMs).toBeGreaterThan(Date.now() - 10_000);
      rmSync(join(directory.path, 'w1'), { recursive: true });
      jest.advanceTimersByTime(5_000);
      expect(existsSync(owner)).toBe(true);
      spool.close();
      jest.advanceTimersByTime(10_000);
      expect(readdirSync(directory.path)).toEqual([]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('leaves a plan to the next worker of any container at once if its worker stops', async () => {
    const stopped = openSpool(directory.path, 'w1', silentLog);
    await stopped.keep(message);
    stopped.close();
    const spool = openSpool(directory.path, 'w2', silentLog);
    expect(spool.adoptLeftovers()).toEqual([message]);
    spool.drop(message);
    spool.close();
    expect(readdirSync(directory.path)).toEqual([]);
  });

  it('ignores unknown files in its directory, and a worker that is just starting', () => {
    writeFileSync(join(directory.path, '.DS_Store'), 'x');
    writeFileSync(join(directory.path, 'stray'), 'x');
    mkdirSync(join(directory.path, '.new-starting'));
    expect(openSpool(directory.path, 'w2', silentLog).adoptLeftovers()).toEqual([]);
    expect(existsSync(join(directory.path, '.new-starting'))).toBe(true);
  });

  const { proof: _proof, ...unproven } = message;
  it.each([
    ['an incomplete file', '{"kind":"fre'],
    ['a message of another kind', '{"kind":"release"}'],
    ['a plan from a version without proofs', JSON.stringify(unproven)],
  ])('deletes %s with a warning, without stopping the worker', (_name, text) => {
    const dead = join(directory.path, 'dead');
    const file = join(dead, `${message.turnKey}-1.json`);
    mkdirSync(dead);
    writeFileSync(file, text);
    const warnings: unknown[] = [];
    const log = { ...silentLog, warn: (facts: unknown) => void warnings.push(facts) };
    expect(openSpool(directory.path, 'w2', log).adoptLeftovers()).toEqual([]);
    expect(warnings).toEqual([{ file }]);
    expect(existsSync(file)).toBe(false);
  });
});
