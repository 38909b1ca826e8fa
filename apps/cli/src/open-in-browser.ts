import { spawn } from 'node:child_process';
import type { Context } from './context.js';

export const OPENER = process.platform === 'darwin' ? 'open' : 'xdg-open';

/** Returns false if the program is missing or fails. The browser outlives the command. */
export function openInBrowser(url: string, env: Context['env']): Promise<boolean> {
  return new Promise((done) => {
    const child = spawn(OPENER, [url], { stdio: 'ignore', detached: true, env: { ...env } });
    child.on('error', () => done(false));
    child.on('exit', (code) => done(code === 0));
    child.unref();
  });
}
