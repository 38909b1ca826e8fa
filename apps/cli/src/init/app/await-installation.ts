import type { Context } from '../../context.js';
import { openInBrowser } from '../../open-in-browser.js';
import { runPollerProgram } from './run-poller-program.js';

type Step =
  | { kind: 'waiting'; repos: string[]; owner: string; address: string }
  | { kind: 'installed'; repo: string; slug: string };

/** Waits until the App is installed on every repository, and prints the repositories that still lack it. */
export async function awaitInstallation(
  { env }: Pick<Context, 'env'>,
  configPath: string,
  { tell, browser }: { tell: (line: string) => void; browser: boolean },
): Promise<void> {
  const onStep = (step: Step): void => {
    if (step.kind === 'installed') {
      tell(`The App ${step.slug} is installed on ${step.repo}.`);
      return;
    }
    tell(`The App belongs to ${step.owner}. If that is not you or your organization, do not install it.`);
    tell(`Waiting until the App is installed on ${step.repos.join(', ')}: ${step.address}`);
    if (browser) void openInBrowser(step.address, env);
  };
  await runPollerProgram<Step>('await-installation-main', { args: ['--config', configPath], env, onStep });
}
