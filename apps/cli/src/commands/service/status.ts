import { MERGEXO_CLI } from '@mergexo/core/basics';
import type { Context } from '../../context.js';
import { toLine } from '../../printable.js';
import { findService, type Installed } from '../../service/find-service.js';
import { LAUNCHD_TARGET } from '../../service/launchd-target.js';
import { askManager, type Env } from '../../service/run-manager.js';

type State = { running: boolean; atLogin: boolean | null; detail: string };

/** Reports whether the service is installed and runs. Returns false if it does not run. */
export async function showService(context: Context): Promise<boolean> {
  const service = findService(context.homeDir);
  if (service === undefined) {
    context.print({ ok: false, installed: false, running: false, path: null }, () => [
      `The service is not installed. Run \`${MERGEXO_CLI} service install\`.`,
    ]);
    return false;
  }
  const { running, atLogin, detail } = await readState(service, context.env);
  const report = {
    ok: running,
    installed: true,
    running,
    starts_at_login: atLogin,
    path: service.path,
    detail,
  };
  context.print(report, () => [
    `${running ? '✓' : '✗'} The service ${running ? 'is running' : 'is not running'} (${toLine(detail, 200)}): ${service.path}`,
    ...(running ? [] : [`  → ${describeLog(service)}`]),
    ...(atLogin === false ? [`! It does not start at login. Run \`${MERGEXO_CLI} service install\`.`] : []),
  ]);
  return running;
}

async function readState({ kind }: Installed, env: Env): Promise<State> {
  if (kind === 'launchd') {
    const answer = await askManager(['launchctl', 'print', LAUNCHD_TARGET], env);
    if (answer.kind !== 'ok') return { running: false, atLogin: null, detail: 'not loaded' };
    const line = answer.output.split('\n').find((one) => one.trim().startsWith('state = '));
    const state = line?.trim().slice('state = '.length) ?? 'unknown';
    return { running: state === 'running', atLogin: true, detail: state };
  }
  const properties = 'ActiveState,SubState,UnitFileState';
  const answer = await askManager(
    ['systemctl', '--user', 'show', 'mergexo', `--property=${properties}`],
    env,
  );
  if (answer.kind === 'missing') return { running: false, atLogin: null, detail: 'systemctl was not found' };
  if (answer.kind === 'failed') return { running: false, atLogin: null, detail: answer.reason };
  const lines = answer.output.split('\n');
  const of = (name: string): string =>
    lines.find((line) => line.startsWith(`${name}=`))?.slice(name.length + 1) ?? 'unknown';
  return {
    running: of('ActiveState') === 'active',
    atLogin: of('UnitFileState') === 'enabled',
    detail: `${of('ActiveState')}, ${of('SubState')}`,
  };
}

function describeLog({ kind }: Installed): string {
  if (kind === 'systemd') return 'Read its log: journalctl --user -u mergexo --since -1h';
  return 'Read its log, up.log in the data directory.';
}
