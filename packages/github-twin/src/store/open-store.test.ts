import fs from 'node:fs';
import path from 'node:path';
import { makeTempDir } from '../testing/test-twin.js';
import { openStore } from './open-store.js';

const label = { repoId: 1, name: 'bug', color: 'ff0000', description: null };

function openAt(file: string) {
  const writes: string[] = [];
  const store = openStore({ file, onWrite: ({ op, table }) => writes.push(`${op} ${table}`) });
  return { store, writes };
}

describe('the store', () => {
  it('finds its rows and its last id again', () => {
    const file = path.join(makeTempDir(), 'state.jsonl');
    const first = openAt(file).store;
    const id = first.nextId();
    first.labels.put({ id, ...label });
    first.labels.put({ id: first.nextId(), ...label, name: 'gone' });
    first.labels.remove(id + 1);
    first.close();
    const { store, writes } = openAt(file);
    expect([store.labels.all(), store.nextId(), writes]).toEqual([[{ id, ...label }], id + 2, []]);
    store.close();
  });

  it('ignores a line that a crash left half written', () => {
    const file = path.join(makeTempDir(), 'state.jsonl');
    const first = openAt(file).store;
    first.labels.put({ id: 5, ...label });
    first.close();
    fs.appendFileSync(file, '[["labels",6,{"id":6,"na');
    const { store } = openAt(file);
    store.labels.put({ id: 7, ...label, name: 'after' });
    store.close();
    const third = openAt(file).store;
    expect(third.labels.all().map((row) => row.id)).toEqual([5, 7]);
    third.close();
  });

  it('writes what changed in one instant as one line, so that a crash keeps all of it or nothing', async () => {
    const file = path.join(makeTempDir(), 'state.jsonl');
    const { store } = openAt(file);
    store.labels.put({ id: 5, ...label });
    store.labels.put({ id: 6, ...label });
    await Promise.resolve();
    store.labels.put({ id: 7, ...label });
    store.close();
    expect(fs.readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(2);
  });
});
