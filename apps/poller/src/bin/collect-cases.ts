#!/usr/bin/env node
/**
 * Reads merged pull requests for `mergexo eval` and prints one JSON value: the case of the pull request given
 * by `--pull`, or else the numbers of the newest ones. Writes nothing to GitHub.
 */
import { homedir } from 'node:os';
import { parseArgs } from 'node:util';
import { isLoopbackUrl, readSettings } from '@mergexo/config';
import { explainError, Failure, silentLog } from '@mergexo/core/basics';
import { findClosedIssue } from '@mergexo/core/eval';
import { redactStrings } from '@mergexo/core/text';
import { createGitHub } from '@mergexo/github';
import { createLogin } from '../connect/create-login.js';
import { collectCase } from './collect/collect-case.js';
import { collectUploads } from './collect/collect-uploads.js';

/** Number of closed pull requests to read for each requested case, because many close no issue. */
const READ_PER_CASE = 5;

try {
  process.stdout.write(`${JSON.stringify(await collect())}\n`);
} catch (error) {
  const problem = explainError(error);
  if (problem === undefined) throw error;
  process.stderr.write(`${problem.message}\n`);
  process.exitCode = 1;
}

async function collect(): Promise<unknown> {
  const { values } = parseArgs({
    options: {
      config: { type: 'string' },
      repo: { type: 'string' },
      pull: { type: 'string' },
      limit: { type: 'string', default: '10' },
    },
  });
  const settings = readSettings({ configPath: values.config, env: process.env, homeDir: homedir() });
  const { apiUrl } = settings.config.github;
  const repo = settings.config.repos.find(({ fullName }) => fullName === values.repo);
  if (repo === undefined) throw new Failure('not-found', `${values.repo} is not in ${settings.configPath}.`);
  const { fullName, defaultBranch } = repo;
  const github = createGitHub({
    apiUrl,
    ...createLogin(settings).auth,
    writable: [],
    userAgent: 'mergexo',
    throttled: !isLoopbackUrl(apiUrl),
    proxy: settings.proxy,
    now: () => Date.now(),
    log: silentLog,
  });
  if (values.pull !== undefined) {
    const found = await collectCase({ github, repo, log: silentLog }, Number(values.pull));
    const collected = redactStrings(found, settings.redact);
    if (collected.kind === 'skipped') return collected;
    const { kind, texts } = collected;
    return { kind, evalCase: { ...texts, ...(await collectUploads({ github, repo, apiUrl }, texts)) } };
  }
  const limit = Number(values.limit);
  const pulls = await github.fetchKnownPulls(fullName, limit * READ_PER_CASE);
  const merged = pulls.filter(({ status, baseRef, body }) => {
    return status === 'merged' && baseRef === defaultBranch && findClosedIssue(body, fullName) !== undefined;
  });
  return { pulls: merged.slice(0, limit).map(({ number }) => number) };
}
