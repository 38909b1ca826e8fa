import { type Notice, renderPlain } from '@mergexo/core/notices';
import type { Sent } from './channel.js';
import { type Notifier, runNotifier } from './run-notifier.js';

/** Passes both texts as arguments, because text inside a script would run as code. */
const APPLE_SCRIPT = [
  'on run argv',
  'display notification (item 2 of argv) with title (item 1 of argv)',
  'end run',
].flatMap((line) => ['-e', line]);

/** Shows a message on the desktop with `osascript` on macOS, else with `notify-send`. */
export function sendDesktop(
  { env, platform }: Pick<Notifier, 'env'> & { platform: NodeJS.Platform },
  notices: readonly Notice[],
  signal?: AbortSignal,
): Promise<Sent> {
  const { heading, body } = renderPlain(notices);
  const argv =
    platform === 'darwin'
      ? ['osascript', ...APPLE_SCRIPT, heading, body]
      : ['notify-send', '--app-name=MergeXO', '--', heading, escapePango(body)];
  return runNotifier({ argv, env }, '', signal);
}

/** Desktops read markup in the body of a notification. */
function escapePango(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
