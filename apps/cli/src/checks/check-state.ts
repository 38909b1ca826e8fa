import { existsSync } from 'node:fs';
import { matchSecret, readSecret, type Settings } from '@mergexo/config';
import { MERGEXO_CLI } from '@mergexo/core/basics';
import { openDatabaseReadOnly } from '@mergexo/state';
import type { Finding } from './finding.js';

export function checkState(settings: Settings): Finding[] {
  return [checkDatabase(settings), checkSecret(settings)];
}

function checkDatabase({ paths }: Settings): Finding {
  const name = 'database';
  if (!existsSync(paths.database)) {
    return {
      name,
      status: 'failure',
      detail: `${paths.database} is missing`,
      fix: `Run \`${MERGEXO_CLI} init\`.`,
    };
  }
  try {
    const database = openDatabaseReadOnly(paths.database);
    const verdict = String(database.sqlite.pragma('quick_check(1)', { simple: true }));
    database.close();
    if (verdict === 'ok') return { name, status: 'ok', detail: paths.database };
    return { name, status: 'failure', detail: `${paths.database}: ${verdict}`, fix: 'Restore a backup.' };
  } catch (error) {
    return { name, status: 'failure', detail: error instanceof Error ? error.message : String(error) };
  }
}

function checkSecret({ paths, signingSecret }: Settings): Finding {
  try {
    const secret = readSecret(paths.secret, signingSecret);
    if (existsSync(paths.database) && matchSecret(paths.secret, secret) === 'foreign') return complain(paths);
    const detail = signingSecret === undefined ? paths.secret : 'from MERGEXO_SECRET';
    return { name: 'secret', status: 'ok', detail };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return {
      name: 'secret',
      status: 'failure',
      detail,
      fix:
        signingSecret !== undefined
          ? 'Set MERGEXO_SECRET to the whole secret, or unset it to use the file.'
          : existsSync(paths.database) && !existsSync(paths.secret)
            ? `Restore ${paths.secret} from a backup, or set MERGEXO_SECRET to what it held. If it is lost for good, start clean with \`${MERGEXO_CLI} adopt --repo <owner/name>\`.`
            : `Run \`${MERGEXO_CLI} init\`, or chmod 600 the file.`,
    };
  }
}

function complain({ database, secret }: Settings['paths']): Finding {
  return {
    name: 'secret',
    status: 'failure',
    detail: `it is not the one that ${database} was used with`,
    fix: `Restore ${secret} or MERGEXO_SECRET, with the old key below a new one. If it is lost for good, start clean with \`${MERGEXO_CLI} adopt --repo <owner/name>\`.`,
  };
}
