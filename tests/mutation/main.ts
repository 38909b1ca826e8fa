/**
 * `npm run test:mutants -- packages/core/src/turns` plants bugs in a folder with StrykerJS and lists those that the tests of
 * the same folder do not notice. Without a folder, it runs all folders in `mutation/folders.json`. It fails if the score of
 * a folder is lower than its minimum there. `mutation/survivors.json` lists survivors with a reason.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { isSame, readSurvivors } from './known-survivors.js';
import { scoreOf } from './read-report.js';
import { runStryker } from './run-stryker.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const HOME = join(ROOT, 'mutation');
/** `minimum` is a score in percent. `tests` lists the folders of the tests, if the tests are not next to the code. */
const Folders = z.record(
  z.string(),
  z.strictObject({ minimum: z.number(), tests: z.array(z.string()).optional() }),
);
const folders = Folders.parse(JSON.parse(readFileSync(join(HOME, 'folders.json'), 'utf8')));
const known = readSurvivors(join(HOME, 'survivors.json'));
const printLine = (line: string): void => void process.stdout.write(`${line}\n`);

const named = process.argv.slice(2);
const lines: string[] = [];
for (const folder of named.length > 0 ? named : Object.keys(folders)) {
  const result = await runStryker(ROOT, {
    folder,
    tests: folders[folder]?.tests ?? [folder.replace(/\/[^/]+\.ts$/, '')],
  });
  const fresh = result.survivors.filter((survivor) => !known.some((one) => isSame(one, survivor)));
  for (const { file, line, mutator, code, replacement } of fresh)
    printLine(
      `survived: ${file}:${line} ${mutator}: ${JSON.stringify(code)} → ${JSON.stringify(replacement)}`,
    );
  const score = scoreOf(result);
  const minimum = folders[folder]?.minimum ?? 0;
  if (score < minimum) process.exitCode = 1;
  const verdict = score < minimum ? `, below its minimum of ${minimum} %` : '';
  const reasons = result.survivors.length - fresh.length;
  lines.push(
    `${folder}: ${score} % of ${result.killed + result.survivors.length} bugs noticed, ${reasons} survivors with a reason, ${fresh.length} without${verdict}`,
  );
}
for (const line of lines) printLine(line);
