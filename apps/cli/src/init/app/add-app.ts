import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Context } from '../../context.js';
import { openInBrowser } from '../../open-in-browser.js';
import type { InitOptions } from '../init-options.js';
import { type ConfigDraft, withSettings } from '../with-settings.js';
import { type AppLogin, addAppToConfig } from './add-app-to-config.js';
import { runPollerProgram } from './run-poller-program.js';
import { saveWebhookSecret } from './save-webhook-secret.js';

type Step =
  | { kind: 'page'; address: string }
  | { kind: 'found'; clientId: string; keyPath: string }
  | { kind: 'created'; clientId: string; keyPath: string; slug: string | null; webhookSecret: string | null };

type Tell = (line: string) => void;

/**
 * Creates a GitHub App and adds it to the config. Returns the text of a config that is not written yet. After a crash,
 * the next run continues with the key file, or with the App in the config.
 */
export async function addApp(
  context: Context,
  draft: ConfigDraft,
  { options, tell }: { options: InitOptions; tell: Tell },
): Promise<string | undefined> {
  const { config } = withSettings(context, draft, (settings) => settings);
  if (config.github.app !== undefined) return draft.text;
  const order = {
    apiUrl: config.github.apiUrl,
    directory: config.runtime.baseDir,
    repo: config.repos[0]?.fullName ?? '',
    organisation: options.org,
    webhookUrl: options.webhookUrl,
    workflows: options.workflows ?? false,
  };
  const login = await createApp(context, order, { tell, browser: options.browser !== false, draft });
  const source = draft.text ?? readFileSync(draft.configPath, 'utf8');
  const text = addAppToConfig(source, { ...login, workflows: order.workflows });
  // Fails here, with the key on disk, if the line does not fit into the file.
  withSettings(context, { ...draft, text }, () => {});
  if (draft.text !== undefined) return text;
  const next = `${draft.configPath}.${process.pid}.new`;
  writeFileSync(next, text, { mode: statSync(draft.configPath).mode & 0o777 });
  renameSync(next, draft.configPath);
  tell(`Added the App to ${draft.configPath}.`);
  return undefined;
}

async function createApp(
  { env }: Context,
  order: object,
  { tell, browser, draft }: { tell: Tell; browser: boolean; draft: ConfigDraft },
): Promise<AppLogin> {
  const logins: AppLogin[] = [];
  const onStep = (step: Step): void => {
    if (step.kind === 'page') {
      tell(`Open this address on this machine to create the App: ${step.address}`);
      tell(
        'On another machine, forward the port first: ssh -L PORT:127.0.0.1:PORT, with the port in the address.',
      );
      if (browser) void openInBrowser(step.address, env);
      return;
    }
    logins.push(step);
    tell(
      `${step.kind === 'found' ? 'Continuing with the key of an earlier run' : 'Stored the key'}: ${step.keyPath}`,
    );
    if (step.kind === 'created' && step.webhookSecret !== null)
      tell(saveWebhookSecret(join(dirname(draft.configPath), '.env'), step.webhookSecret));
  };
  await runPollerProgram<Step>('create-app-main', { args: ['--order', JSON.stringify(order)], env, onStep });
  const [login] = logins;
  if (login === undefined) throw new Error('create-app-main ended without an App');
  return login;
}
