import { runCommand } from '../run-command.js';

/** Returns the address of the Debian mirror from which this machine installs packages. */
export async function findDebianMirror(): Promise<string> {
  const args = ['indextargets', '--format', '$(LABEL) $(REPO_URI)', 'Created-By: Packages'];
  const [, mirror] = /^Debian (\S+?)\/?$/m.exec(await runCommand('apt-get', args)) ?? [];
  if (mirror === undefined) throw new Error('this machine installs no packages from a Debian mirror');
  return mirror;
}
