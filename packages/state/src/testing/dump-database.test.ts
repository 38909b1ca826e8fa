import { Sqlite } from '../better-sqlite3.js';
import { dumpDatabase } from './dump-database.js';

describe('the dump of a database', () => {
  it('recreates tables, indexes and rows, including hostile text and bytes', () => {
    const original = new Sqlite(':memory:');
    original.exec('create table "a" (id integer primary key, t text, b blob, n real)');
    original.exec('create index "a_t" on "a" (t)');
    const insert = original.prepare('insert into a values (?, ?, ?, ?)');
    insert.run(1, "it's; DROP TABLE a;--\n", Buffer.from([0, 255]), 1.5);
    insert.run(2, null, null, -3);
    const dump = dumpDatabase(original);
    const copy = new Sqlite(':memory:');
    copy.exec(dump);
    expect(copy.prepare('select * from a').all()).toEqual(original.prepare('select * from a').all());
    expect(dumpDatabase(copy)).toBe(dump);
    original.close();
    copy.close();
  });
});
