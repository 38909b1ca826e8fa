#!/usr/bin/env node
/** Creates the labels in the configured repositories for `mergexo init`, and prints the result as one JSON value. */
import { homedir } from 'node:os';
import { parseArgs } from 'node:util';
import { isLoopbackUrl, type RepoConfig, readSettings } from '@mergexo/config';
import { explainError, Failure, silentLog } from '@mergexo/core/basics';
import { listFlowLabels } from '@mergexo/core/flows';
import { createGitHub, type GitHub, type NewLabel } from '@mergexo/github';
import { createLogin } from '../connect/create-login.js';

try {
  process.stdout.write(`${JSON.stringify({ labels: await createLabels() })}\n`);
} catch (error) {
  const problem = explainError(error);
  if (problem === undefined) throw error;
  process.stderr.write(`The labels could not be created: ${problem.message}\n`);
  process.exitCode = 1;
}

async function createLabels() {
  const { values } = parseArgs({ options: { config: { type: 'string' } } });
  const settings = readSettings({ configPath: values.config, env: process.env, homeDir: homedir() });
  const { apiUrl } = settings.config.github;
  const { repos } = settings.config;
  const github = createGitHub({
    apiUrl,
    ...createLogin(settings).auth,
    writable: repos.map(({ fullName }) => fullName),
    userAgent: 'mergexo',
    throttled: !isLoopbackUrl(apiUrl),
    proxy: settings.proxy,
    now: () => Date.now(),
    log: silentLog,
  });
  const done = [];
  for (const repo of repos) {
    await refuseMissing(github, repo);
    for (const label of listLabels(repo)) {
      const outcome = await github.ensureLabel(repo.fullName, label);
      done.push({ repo: repo.fullName, label: label.name, done: outcome });
    }
  }
  return done;
}

/** Throws an error that names a misspelled repository, because GitHub's error for a label request does not name it. */
async function refuseMissing(github: Pick<GitHub, 'fetchRepository'>, repo: RepoConfig): Promise<void> {
  try {
    await github.fetchRepository(repo.fullName);
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'not-found') throw error;
    throw new Failure(
      'not-found',
      `This login cannot see the repository ${repo.fullName} on GitHub. Correct \`owner\` and \`name\` in [repo.${repo.id}], or give the login access.`,
    );
  }
}

function listLabels({ labels, review, reviewEnabled }: RepoConfig): NewLabel[] {
  const { escalationLabel } = review;
  return [
    ...listFlowLabels(labels).map(({ name, color, description }) => ({ name, color, description })),
    { name: labels.ignore, color: 'cfd3d7', description: 'MergeXO ignores this: a person works on it' },
    ...(reviewEnabled
      ? [
          {
            name: escalationLabel,
            color: 'fbca04',
            description: 'The AI review waits for a person to decide',
          },
        ]
      : []),
  ];
}
