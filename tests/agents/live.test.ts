import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, onlyWith, type Program } from '@mergexo/testkit';
import type { BrowserContext, Page } from 'playwright-core';
import { collectComplaints, missingBrowser, openBrowser } from '../browser/browser.js';
import { startDashboard } from '../fleet/dashboard-stage.js';
import { ROOT } from '../fleet/fleet.js';
import { readJsonLines } from '../fleet/read-json-lines.js';
import { type Confined, missingNamespaces, startInNamespace } from '../fleet/start-in-namespace.js';
import { createWalk, type Walk } from '../fleet/walk.js';
import { configureWalk } from './configure-walk.js';
import { serveMessages } from './fake-messages.js';
import { serveResponses } from './fake-responses.js';
import type { FakeModel } from './model-step.js';
import { A_CHANGE } from './outputs.js';
import type { AdapterName } from './world.js';

/** How long a step may take from the worker's log to the browser. */
const LIMIT_MS = 2_000 * Number(process.env['MERGEXO_TEST_PATIENCE'] ?? 1);

type Shown = { text: string; at: number };
type Watched = { shown: Shown[]; printed: Shown[] };

/** Records every new step and the time when the page shows it. */
async function recordSteps(page: Page): Promise<() => Promise<Shown[]>> {
  await page.evaluate(`
    window.shown = [];
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes)
        for (const node of addedNodes)
          window.shown.push({ text: node.querySelector('.step')?.textContent ?? '', at: Date.now() });
    }).observe(document.getElementById('steps'), { childList: true });`);
  return () => page.evaluate(() => Object(globalThis)['shown']);
}

onlyWith(missingBrowser).describe('the dashboard', () => {
  let walk: Walk;
  let model: FakeModel;
  let context: BrowserContext;
  let dashboard: Program | undefined;
  let worker: Confined | undefined;
  afterEach(async () => {
    await context.close();
    await worker?.stop();
    dashboard?.kill('SIGTERM');
    await dashboard?.exited;
    await walk.close();
    await model.close();
    [dashboard, worker] = [undefined, undefined];
  });

  /** Works on an issue while a browser shows its turn. Returns when the page has shown the end of the work. */
  const watch = async (name: AdapterName, isAway: boolean): Promise<Watched> => {
    model = name === 'codex' ? await serveResponses() : await serveMessages();
    walk = await createWalk({ sandbox: 'auto', withProxy: isAway });
    configureWalk(walk, [name], { [name]: model });
    const config = join(walk.dir, 'mergexo.toml');
    appendFileSync(config, '[dashboard]\nport = 0\n[prices."gpt-5.5"]\ninput = 1000\noutput = 0\n');
    context = await openBrowser(join(walk.dir, 'profile'));
    const [page = await context.newPage()] = context.pages();
    const complaints = collectComplaints(page);
    walk.startPoller();
    const started = await startDashboard(config);
    dashboard = started.program;
    const run = (command: string) => ({ run: command });
    model.play(run('sleep 4'), run('echo hello > a.txt'), run('sleep 1; echo again'), { answer: A_CHANGE });
    if (isAway) {
      const ports = [walk.proxy?.port ?? 0, Number(new URL(walk.twin.apiUrl).port), model.port];
      const script = [join(ROOT, 'apps/worker/dist/main.js'), '--config', config] as const;
      worker = await startInNamespace([...script, '--slots', '1'], { dir: walk.dir, ports, env: walk.env() });
    } else walk.startWorker();
    const issue = await walk.openIssue('agent:bugfix');
    const turnKey = await eventually(() => {
      const id = walk.runOf(issue)?.id ?? 0;
      const [turn] = walk.withState((state) => state.listTurnsOfRun(id));
      if (turn === undefined) throw new Error('no turn yet');
      return turn.turnKey;
    }, 60_000);
    await page.goto(`${started.url}turns/${turnKey}`);
    const readShown = await recordSteps(page);
    await walk
      .until(async () => expect((await readShown()).map(({ text }) => text)).toContain('gives its answer'))
      .catch((error) => {
        throw new Error(`${error}\n${worker?.output().slice(-3_000) ?? ''}`);
      });
    // The model uses 100 tokens for each of its four steps.
    await page.locator('#facts', { hasText: '400 in' }).waitFor();
    await page
      .locator('#facts div', { hasText: 'Cost' })
      .getByText(/^\$0\.\d+$/)
      .waitFor();
    expect(complaints).toEqual([]);
    const log: { at: string; kind: string; text: string }[] = readJsonLines(
      join(walk.base, 'logs', 'turns', `${turnKey}-1.jsonl`),
    );
    const printed = log.filter(({ kind }) => kind === 'progress');
    return {
      shown: await readShown(),
      printed: printed.map(({ at, text }) => ({ text, at: Date.parse(at) })),
    };
  };

  const expectLive = ({ shown, printed }: Watched): void => {
    const texts = shown.map(({ text }) => text);
    expect(texts).toEqual(
      expect.arrayContaining([
        expect.stringContaining('hello > a.txt'),
        expect.stringContaining('echo again'),
      ]),
    );
    // The page shows the steps that the agent printed, and what the agent has used so far.
    const used = texts.findIndex((text) => /^[12]00 tokens in.* [24]0 out/.test(text));
    expect(used).toBeGreaterThanOrEqual(0);
    expect(used).toBeLessThan(texts.findIndex((text) => text.includes('echo again')));
    const delays = shown.flatMap(({ text, at }) => {
      const step = printed.find((one) => one.text === text);
      return step === undefined ? [] : [at - step.at];
    });
    expect(delays.length).toBeGreaterThanOrEqual(4);
    expect(Math.max(...delays)).toBeLessThanOrEqual(LIMIT_MS);
  };

  it.each<AdapterName>(['codex', 'claude'])('shows the steps of the real %s live', async (name) => {
    expectLive(await watch(name, false));
  });

  onlyWith(missingNamespaces).describe('with a worker in another network namespace', () => {
    it.each<AdapterName>(['codex', 'claude'])('shows the steps of the real %s live', async (name) => {
      expectLive(await watch(name, true));
    });
  });
});
