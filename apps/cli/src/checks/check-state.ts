import { existsSync } from 'node:fs';
import { matchSecret, readSecret, type Settings } from '@mergexo/config';
import { MERGEXO_CLI } from '@mergexo/core/basics';
import { openDatabaseReadOnly } from '@mergexo/state';
import { type Finding, messageOf } from './finding.js';

const START_CLEAN = `If the secret is lost, start over with \`${MERGEXO_CLI} adopt --repo <owner/name>\`.`;

export function checkState(settings: Settings): Finding[] {
  return [checkDatabase(settings), checkSecret(settings)];
}

function checkDatabase({ paths, signingSecret }: Settings): Finding {
  const name = 'database';
  if (!existsSync(paths.database)) {
    // If the secret comes from the environment, the first start needs no file.
    if (signingSecret !== undefined)
      return { name, status: 'ok', detail: `the poller creates ${paths.database} when it starts` };
    const detail = `${paths.database} is missing`;
    return { name, status: 'failure', detail, fix: `Run \`${MERGEXO_CLI} init\`.` };
  }
  try {
    const database = openDatabaseReadOnly(paths.database);
    const verdict = String(database.sqlite.pragma('quick_check(1)', { simple: true }));
    database.close();
    if (verdict === 'ok') return { name, status: 'ok', detail: paths.database };
    return { name, status: 'failure', detail: `${paths.database}: ${verdict}`, fix: 'Restore a backup.' };
  } catch (error) {
    return { name, status: 'failure', detail: messageOf(error) };
  }
}

function checkSecret(settings: Settings): Finding {
  const name = 'secret';
  const { paths, signingSecret } = settings;
  try {
    const secret = readSecret(paths.secret, signingSecret);
    if (existsSync(paths.database) && matchSecret(paths.secret, secret) === 'foreign') {
      const fix = `Restore the old key in ${paths.secret} or MERGEXO_SECRET. To keep the new key as well, put it on the line above the old one. ${START_CLEAN}`;
      return {
        name,
        status: 'failure',
        detail: `the secret does not match ${paths.database}`,
        fix,
      };
    }
    return { name, status: 'ok', detail: signingSecret === undefined ? paths.secret : 'from MERGEXO_SECRET' };
  } catch (error) {
    return { name, status: 'failure', detail: messageOf(error), fix: chooseFix(settings) };
  }
}

function chooseFix({ paths, signingSecret }: Settings): string {
  if (signingSecret !== undefined)
    return 'Set MERGEXO_SECRET to the whole secret, or unset it to use the file.';
  if (existsSync(paths.database) && !existsSync(paths.secret))
    return `Restore ${paths.secret} from a backup, or set MERGEXO_SECRET to its content. ${START_CLEAN}`;
  return `Run \`${MERGEXO_CLI} init\`, or run chmod 600 on the file.`;
}
