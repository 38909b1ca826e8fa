import { ConfigError, type Problem } from './config-error.js';
import { parseConfig } from './parse-config.js';

const REPO = `
[repo.main]
owner = "octo-org"
name = "hello-world"
`;
const LOOPBACK = '[github]\napi_url = "http://127.0.0.1:3000"\n';

function problemsOf(text: string): readonly Problem[] {
  try {
    parseConfig(text, { homeDir: '/home/ada' });
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

type Row = [title: string, text: string, ...problems: [path: string, message: string][]];

const LOGINS = 'a list of 1 to 100 GitHub logins of people (letters, digits and single hyphens, at most 39)';
const LABEL = 'a label of 1 to 50 characters, without commas or spaces at its ends';
const PATH = 'a path relative to the root of the repository, without "..", "." or ".git" in it';
const API_URL = 'an https:// URL (http:// only for a loopback host) without credentials, query or fragment';
const REMOTE_URL =
  'an https:// or ssh:// URL, or user@host:path, without credentials (http:// and file:// only on loopback)';
const BRANCH = 'a branch name that git accepts, at most 200 characters';
const PER_REPO = 'a table per repository, [repo.<id>], where <id> is a name that you choose';
const SECRET =
  'holds a secret (not shown here); remove it from the file: secrets come from environment variables or from the logins of the tools themselves';
const REDIS_SECRET =
  'holds a secret (not shown here); remove it from the file: set the environment variable MERGEXO_REDIS_URL or MERGEXO_REDIS_PASSWORD instead';
const NO_ID =
  'is no usable id; allowed: 1 to 40 letters, digits, hyphens and underscores, beginning with a letter or digit, and no name that JavaScript reserves (constructor)';
const NOT_LOOPBACK = 'because github.api_url is not a loopback address';
const DIRECTORY = 'an absolute path, or one that begins with ~/, without ".."';
const PROGRAM = 'the name of a program on PATH, an absolute path, or one that begins with ~/';
const RELATIVE_PROGRAM =
  'a relative path would name a file of the checkout that the agent runs in; allowed: the name of a program on PATH, an absolute path, or one that begins with ~/';
const ENVIRONMENT =
  'a list of at most 50 names of environment variables, none beginning with MERGEXO_, GITHUB_ or GH_';

/** A row of its own for the value of one key: the rest of the file is in order. */
const main = (line: string) => `${REPO}${line}\n`;
const inSection = (section: string, line: string) => `[${section}]\n${line}\n${REPO}`;

// biome-ignore format: a case per row, its complaints below it
const SHAPES: Row[] = [
  ['a value that is no TOML', '[runtime]\nworker_count = two',
    ['', 'line 2, column 16: this is not TOML: invalid value']],
  ['a key given twice', 'a = 1\na = 2',
    ['', 'line 2, column 1: this is not TOML: trying to redefine an already defined table or value']],
  ['a string without an end', '[redis]\nurl = "redis://:hunter2@host',
    ['', 'line 2, column 7: this is not TOML: unfinished string']],
  ['an integer too large for a number', 'a = 99999999999999999999',
    ['', 'line 1, column 5: this is not TOML: integer value cannot be represented losslessly']],
  ['an empty file', '', ['repo', `is missing; needed: ${PER_REPO}`]],
  ['a repo section without repositories', '[repo]', ['repo', `is missing; needed: ${PER_REPO}`]],
  ['repositories as a list', '[[repo]]\nowner = "a"', ['repo', `is a list of 1 value; allowed: ${PER_REPO}`]],
  ['a repository without an id', '[repo]\nowner = "a"', ['repo.owner', `is "a"; allowed: ${PER_REPO}`]],
  ['a section that is a number', `runtime = 5\n${REPO}`, ['runtime', 'is 5; allowed: a table, [runtime]']],
  ['a section that is a list', `[[agent]]\nadapter = "codex"\n${REPO}`,
    ['agent', 'is a list of 1 value; allowed: a table, [agent]']],
  ['a misspelt key', inSection('runtime', 'worker_cont = 2'),
    ['runtime.worker_cont', 'unknown key; did you mean worker_count?']],
  ['a key in camelCase', inSection('runtime', 'workerCount = 2'),
    ['runtime.workerCount', 'unknown key; did you mean worker_count?']],
  ['swapped letters', inSection('agent', 'adpater = "codex"'),
    ['agent.adpater', 'unknown key; did you mean adapter?']],
  ['a misspelt section', `[schedular]\n${REPO}`, ['schedular', 'unknown key; did you mean scheduler?']],
  ['a plural section', '[repos.main]\nowner = "a"\nname = "b"',
    ['repos', 'unknown key; did you mean repo?'],
    ['repo', `is missing; needed: ${PER_REPO}`]],
  ['a key of another section', inSection('agent', 'worker_count = 2'),
    ['agent.worker_count', 'unknown key; it belongs in [runtime]']],
  ['a key of several sections, outside of any', `model = "x"\n${REPO}`,
    ['model', 'unknown key; it belongs in [codex] or [claude] or [review]']],
  ['a key that resembles nothing', inSection('github', 'colour = "red"'),
    ['github.colour', 'unknown key; allowed: api_url, commit_name, commit_email']],
  ['a key with control characters', inSection('github', '"a\\u001b[31m\\n" = 1'),
    ['github."a\\u{001b}[31m\\u{000a}"', 'unknown key; allowed: api_url, commit_name, commit_email']],
  ['a missing owner', '[repo.main]\nname = "hello"',
    ['repo.main.owner', 'is missing; needed: a GitHub login: letters, digits and single hyphens, at most 39']],
  ['a repository without anything', '[repo.main]',
    ['repo.main.owner', 'is missing; needed: a GitHub login: letters, digits and single hyphens, at most 39'],
    ['repo.main.name', 'is missing; needed: a repository name: letters, digits, dots, hyphens and underscores, at most 100, without .git']],
];

// biome-ignore format: a case per row, its complaints below it
const VALUES: Row[] = [
  ['text for a number', inSection('runtime', 'worker_count = "two"'),
    ['runtime.worker_count', 'is "two"; allowed: a whole number from 1 to 64']],
  ['a fraction for a whole number', inSection('runtime', 'worker_count = 1.5'),
    ['runtime.worker_count', 'is 1.5; allowed: a whole number from 1 to 64']],
  ['no workers', inSection('runtime', 'worker_count = 0'),
    ['runtime.worker_count', 'is 0; allowed: a whole number from 1 to 64']],
  ['not a number', inSection('agent', 'timeout_seconds = nan'),
    ['agent.timeout_seconds', 'is NaN; allowed: a number of seconds from 1 to 86400']],
  ['for ever', inSection('agent', 'timeout_seconds = inf'),
    ['agent.timeout_seconds', 'is Infinity; allowed: a number of seconds from 1 to 86400']],
  ['a duration with a unit', inSection('runtime', 'drain_grace_seconds = "60s"'),
    ['runtime.drain_grace_seconds', 'is "60s"; allowed: a number of seconds from 0 to 3600']],
  ['a date', inSection('runtime', 'log_level = 2026-01-01'),
    ['runtime.log_level', 'is a date; allowed: one of "debug", "info", "warn", "error"']],
  ['a table for a value', inSection('runtime', 'worker_count = { min = 1 }'),
    ['runtime.worker_count', 'is a table; allowed: a whole number from 1 to 64']],
  ['text for a flag', inSection('runtime', 'enable_feedback_loop = "yes"'),
    ['runtime.enable_feedback_loop', 'is "yes"; allowed: true or false']],
  ['an unknown adapter', inSection('agent', 'adapter = "gemini"'),
    ['agent.adapter', 'is "gemini"; allowed: one of "codex", "claude", "command"']],
  ['an unknown severity', inSection('review', 'blocking_severity = "nit"'),
    ['review.blocking_severity', 'is "nit"; allowed: one of "critical", "high", "medium", "low"']],
  ['a relative base directory', inSection('runtime', 'base_dir = "state"'),
    ['runtime.base_dir', `is "state"; allowed: ${DIRECTORY}`]],
  ['a base directory that climbs', inSection('runtime', 'base_dir = "~/../root"'),
    ['runtime.base_dir', `is "~/../root"; allowed: ${DIRECTORY}`]],
  ['the root as base directory', inSection('runtime', 'base_dir = "/"'),
    ['runtime.base_dir', `is "/"; allowed: ${DIRECTORY}`]],
  ['the home of somebody else', inSection('runtime', 'base_dir = "~root/x"'),
    ['runtime.base_dir', `is "~root/x"; allowed: ${DIRECTORY}`]],
  ['an API without encryption', inSection('github', 'api_url = "http://github.example.com"'),
    ['github.api_url', `is "http://github.example.com"; allowed: ${API_URL}`]],
  ['a host that only begins like loopback', inSection('github', 'api_url = "http://127.0.0.1.example.com"'),
    ['github.api_url', `is "http://127.0.0.1.example.com"; allowed: ${API_URL}`]],
  ['an API address without a scheme', inSection('github', 'api_url = "api.github.com"'),
    ['github.api_url', `is "api.github.com"; allowed: ${API_URL}`]],
  ['an API address with a user', inSection('github', 'api_url = "https://ada@github.example.com"'),
    ['github.api_url', `is "https://(hidden)@github.example.com"; allowed: ${API_URL}`]],
  ['a Redis address that is none', inSection('redis', 'url = "http://127.0.0.1:6379"'),
    ['redis.url', 'is "http://127.0.0.1:6379"; allowed: a redis:// or rediss:// URL with a host, or unix:// with a path, without a password or a query']],
  ['a program in the checkout', inSection('codex', 'binary = "./codex"'),
    ['codex.binary', `is "./codex"; ${RELATIVE_PROGRAM}`]],
  ['a program that is an option', inSection('claude', 'binary = "-x"'),
    ['claude.binary', `is "-x"; allowed: ${PROGRAM}`]],
  ['a model that is an option', inSection('codex', 'model = "--yolo"'),
    ['codex.model', 'is "--yolo"; allowed: a name of 1 to 100 characters without spaces, not beginning with a hyphen']],
  ['an argument that opens the Codex sandbox', inSection('codex', 'extra_args = ["--search", "--yolo"]'),
    ['codex.extra_args[1]', 'is "--yolo"; allowed: a list of at most 50 arguments without control characters, none that sets sandbox, approvals or directories']],
  ['a configuration key that does the same', inSection('codex', `extra_args = ["-c", "sandbox_mode='danger-full-access'"]`),
    ['codex.extra_args[1]', `is "sandbox_mode='danger-full-access'"; allowed: a list of at most 50 arguments without control characters, none that sets sandbox, approvals or directories`]],
  ['an argument that lifts the permissions of Claude Code', inSection('claude', 'extra_args = ["--dangerously-skip-permissions"]'),
    ['claude.extra_args[0]', 'is "--dangerously-skip-permissions"; allowed: a list of at most 50 arguments without control characters, none that sets permissions, settings or directories']],
  ['a command line as one string', inSection('command', 'argv = "agent --json"'),
    ['command.argv', 'is "agent --json"; allowed: a list: a program (on PATH, absolute, or from ~/), then at most 50 arguments without control characters']],
  ['a command in the working directory', inSection('command', 'argv = ["./agent.sh", "--json"]'),
    ['command.argv[0]', `is "./agent.sh"; ${RELATIVE_PROGRAM}`]],
  ['a command below the working directory', inSection('command', 'argv = ["bin/agent"]'),
    ['command.argv[0]', `is "bin/agent"; ${RELATIVE_PROGRAM}`]],
  ['a command that is an option', inSection('command', 'argv = ["-x", "y"]'),
    ['command.argv[0]', `is "-x"; allowed: ${PROGRAM}`]],
  ['an empty command line', inSection('command', 'argv = []'),
    ['command.argv', 'is an empty list; allowed: a list: a program (on PATH, absolute, or from ~/), then at most 50 arguments without control characters']],
  ['our own variables for the agent', inSection('agent', 'pass_env = ["OPENAI_API_KEY", "GITHUB_TOKEN", "A=B"]'),
    ['agent.pass_env[1]', `is "GITHUB_TOKEN"; allowed: ${ENVIRONMENT}`],
    ['agent.pass_env[2]', `is "A=B"; allowed: ${ENVIRONMENT}`]],
  ['a threshold beyond certainty', inSection('scheduler', 'conflict_threshold = 1.1'),
    ['scheduler.conflict_threshold', 'is 1.1; allowed: a number from 0 to 1']],
  ['a port out of range', inSection('dashboard', 'port = 70000'),
    ['dashboard.port', 'is 70000; allowed: a whole number from 0 to 65535']],
  ['an address that is no host', inSection('dashboard', 'host = "http://localhost"'),
    ['dashboard.host', 'is "http://localhost"; allowed: a host name or an IP address']],
];

// biome-ignore format: a case per row, its complaints below it
const REPO_VALUES: Row[] = [
  ['an owner that is no login', '[repo.main]\nowner = "-octo"\nname = "x"',
    ['repo.main.owner', 'is "-octo"; allowed: a GitHub login: letters, digits and single hyphens, at most 39']],
  ['owner and name in one', '[repo.main]\nowner = "octo"\nname = "octo/x"',
    ['repo.main.name', 'is "octo/x"; allowed: a repository name: letters, digits, dots, hyphens and underscores, at most 100, without .git']],
  ['a name that climbs', '[repo.main]\nowner = "octo"\nname = ".."',
    ['repo.main.name', 'is ".."; allowed: a repository name: letters, digits, dots, hyphens and underscores, at most 100, without .git']],
  ['a bot among the people', main('allowed_users = ["ada", "renovate[bot]"]'),
    ['repo.main.allowed_users[1]', `is "renovate[bot]"; allowed: ${LOGINS}`]],
  ['nobody allowed', main('allowed_users = []'),
    ['repo.main.allowed_users', `is an empty list; allowed: ${LOGINS}`]],
  ['one person without a list', main('operator_logins = "ada"'),
    ['repo.main.operator_logins', `is "ada"; allowed: ${LOGINS}`]],
  ['a label with a comma', main('design_label = "a,b"'),
    ['repo.main.design_label', `is "a,b"; allowed: ${LABEL}`]],
  ['a label with a line break', main('design_label = "a\\nb"'),
    ['repo.main.design_label', `is "a\\u{000a}b"; allowed: ${LABEL}`]],
  ['a branch that git refuses', main('default_branch = "a..b"'),
    ['repo.main.default_branch', `is "a..b"; allowed: ${BRANCH}`]],
  ['a branch that is an option', main('default_branch = "--force"'),
    ['repo.main.default_branch', `is "--force"; allowed: ${BRANCH}`]],
  ['a branch with an invisible character', main('default_branch = "ma\\u200Bin"'),
    ['repo.main.default_branch', `is "ma\\u{200b}in"; allowed: ${BRANCH}`]],
  ['documents outside of the repository', main('design_docs_dir = "../docs"'),
    ['repo.main.design_docs_dir', `is "../docs"; allowed: ${PATH}`]],
  ['an absolute path in the repository', main('required_tests = "/bin/true"'),
    ['repo.main.required_tests', `is "/bin/true"; allowed: ${PATH}`]],
  ['a path into .git', main('coding_guidelines_path = ".GIT/hooks/x"'),
    ['repo.main.coding_guidelines_path', `is ".GIT/hooks/x"; allowed: ${PATH}`]],
  ['a pattern that does not compile', main('test_file_regex = "tests/("'),
    ['repo.main.test_file_regex', 'is "tests/("; allowed: a JavaScript regular expression of 1 to 200 characters']],
  ['an unknown policy', main('ci_policy = "sometimes"'),
    ['repo.main.ci_policy', 'is "sometimes"; allowed: one of "never", "first_fail", "all_complete"']],
  ['a remote that runs a command', main('remote_url = "ext::sh -c id"'),
    ['repo.main.remote_url', `is "ext::sh -c id"; allowed: ${REMOTE_URL}`]],
  ['a remote that is an option', main('remote_url = "--upload-pack=id"'),
    ['repo.main.remote_url', `is "--upload-pack=id"; allowed: ${REMOTE_URL}`]],
  ['a very long value', main(`default_branch = "${'x'.repeat(300)}"`),
    ['repo.main.default_branch', `is "${'x'.repeat(60)}…"; allowed: ${BRANCH}`]],
  ['an id with a space', '[repo."my repo"]\nowner = "a"\nname = "b"', ['repo."my repo"', NO_ID]],
  ['an id that every object has', '[repo.constructor]\nowner = "a"\nname = "b"', ['repo.constructor', NO_ID]],
  ['an id that would change every object', '[repo.__proto__]\nowner = "a"\nname = "b"\npolluted = true',
    ['repo.__proto__', NO_ID],
    ['repo.__proto__.polluted', `unknown key; allowed: owner, name, default_branch, remote_url, design_label, bugfix_label, small_job_label, ignore_label, design_docs_dir, allowed_users, operator_logins, required_tests, test_file_regex, coding_guidelines_path, ci_policy, auto_update, enable_feedback_loop, enable_issue_comment_routing, review_enabled, agent_adapter, agent_model`]],
  ['a section that would change every object', `[__proto__]\npolluted = true\n${REPO}`,
    ['__proto__', 'unknown key; allowed: runtime, github, redis, agent, codex, claude, command, limits, scheduler, review, dashboard, repo']],
];

// biome-ignore format: a case per row, its complaints below it
const CONTRADICTIONS: Row[] = [
  ['polling GitHub too often', inSection('runtime', 'poll_interval_seconds = 1'),
    ['runtime.poll_interval_seconds', `is 1; allowed: at least 5, ${NOT_LOOPBACK}`]],
  ['a window too short for GitHub', inSection('runtime', 'visibility_window_seconds = 5'),
    ['runtime.visibility_window_seconds', `is 5; allowed: at least 60, ${NOT_LOOPBACK}`]],
  ['writing to GitHub without a pause', inSection('runtime', 'write_spacing_seconds = 0'),
    ['runtime.write_spacing_seconds', `is 0; allowed: at least 1, ${NOT_LOOPBACK}`]],
  ['a window too short even for loopback', `${LOOPBACK}${inSection('runtime', 'visibility_window_seconds = 0')}`,
    ['runtime.visibility_window_seconds', 'is 0; allowed: a number of seconds from 60 to 3600 (from 0.1 if github.api_url is loopback)']],
  ['silence that outlasts the whole time', inSection('agent', 'silence_seconds = 900'),
    ['agent.silence_seconds', 'is 900; allowed: at most agent.timeout_seconds, which is 600']],
  ['the command adapter without a command', inSection('agent', 'adapter = "command"'),
    ['command.argv', 'is missing; needed, because agent.adapter is "command": the program and its arguments']],
  ['a reviewer and a repository without their command', `[review]\nagent = "command"\n${main('agent_adapter = "command"')}`,
    ['command.argv', 'is missing; needed, because review.agent and repo.main.agent_adapter is "command": the program and its arguments']],
  ['an open Redis on another host', inSection('redis', 'url = "redis://redis.example.com"'),
    ['redis.url', 'is "redis://redis.example.com"; allowed: a loopback host, or a password in the environment variable MERGEXO_REDIS_PASSWORD, or allow_insecure = true']],
  ['a run that may use more than the day', inSection('limits', 'max_tokens_per_run = 10\nmax_tokens_per_day = 5'),
    ['limits.max_tokens_per_run', 'is 10; allowed: at most limits.max_tokens_per_day, which is 5']],
  ['a run that may cost more than the day', inSection('limits', 'max_cost_usd_per_run = 2.5\nmax_cost_usd_per_day = 1'),
    ['limits.max_cost_usd_per_run', 'is 2.5; allowed: at most limits.max_cost_usd_per_day, which is 1']],
  ['one repository twice', `${REPO}[repo.other]\nowner = "Octo-Org"\nname = "Hello-World"`,
    ['repo.other', 'is "Octo-Org/Hello-World", which [repo.main] already is; allowed: one table per repository']],
  ['one label for two flows', main('bugfix_label = "Agent:Design"'),
    ['repo.main.bugfix_label', 'is "Agent:Design"; allowed: a label of its own, but repo.main.design_label is the same']],
  ['a trigger that asks for people', main('small_job_label = "agent:human-review"'),
    ['repo.main.small_job_label', 'is "agent:human-review"; allowed: a label of its own, but review.escalation_label is the same']],
  ['our own branches as base', main('default_branch = "agent/main"'),
    ['repo.main.default_branch', 'is "agent/main"; allowed: a branch outside agent/, where our own branches live']],
  ['a remote of another repository', main('remote_url = "git@github.com:octo-org/other.git"'),
    ['repo.main.remote_url', 'is "git@github.com:octo-org/other.git"; allowed: a URL that ends with octo-org/hello-world.git']],
  ['a local remote for the real GitHub', main('remote_url = "file:///srv/hello.git"'),
    ['repo.main.remote_url', `is "file:///srv/hello.git"; allowed: https:// or ssh, ${NOT_LOOPBACK}`]],
  ['a model for an agent without models', `[command]\nargv = ["agent"]\n${main('agent_adapter = "command"\nagent_model = "m"')}`,
    ['repo.main.agent_model', 'is "m"; allowed: no value, because repo.main.agent_adapter is "command"']],
  ['a model for a reviewer without models', `[command]\nargv = ["agent"]\n${inSection('review', 'agent = "command"\nmodel = "m"')}`,
    ['review.model', 'is "m"; allowed: no value, because review.agent is "command"']],
];

// biome-ignore format: a case per row, its complaints below it
const SECRETS: Row[] = [
  ['a token under its own name', inSection('github', 'token = "abc"'), ['github.token', SECRET]],
  ['a key in camelCase', inSection('codex', 'apiKey = "abc"'), ['codex.apiKey', SECRET]],
  ['a whole section of secrets', `[secrets]\ngithub = "abc"\n${REPO}`, ['secrets', SECRET]],
  ['a Redis password under its own name', inSection('redis', 'password = "hunter2"'),
    ['redis.password', REDIS_SECRET]],
  ['a Redis password in the address', inSection('redis', 'url = "redis://:hunter2@redis.example.com:6379"'),
    ['redis.url', REDIS_SECRET]],
  ['a GitHub token in a remote', main('remote_url = "https://ghp_abcdefghijklmnopqrstuvwxyz0123456789@github.com/octo-org/hello-world.git"'),
    ['repo.main.remote_url', SECRET]],
  ['a user and a password in the API address', inSection('github', 'api_url = "https://ada:hunter2@github.example.com"'),
    ['github.api_url', SECRET]],
  ['a key among arguments', inSection('codex', 'extra_args = ["--search", "--key=sk-proj-abcdefghij0123456789"]'),
    ['codex.extra_args[1]', SECRET]],
  ['a fine-grained token as a model', inSection('claude', 'model = "github_pat_11ABCDEFG0abcdefghijkl"'),
    ['claude.model', SECRET]],
  ['a web token under an unknown key', inSection('review', 'note = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjMifQ.abcdefghijk"'),
    ['review.note', SECRET]],
  ['a token as an id', '[repo.ghp_abcdefghijklmnop]\nowner = "a"\nname = "b"', ['repo.(hidden)', SECRET]],
];

describe('a malformed configuration', () => {
  const rows = [...SHAPES, ...VALUES, ...REPO_VALUES, ...CONTRADICTIONS, ...SECRETS];

  it.each(rows)('is refused with its precise complaint: %s', (...row) => {
    const [, text, ...problems] = row;
    expect(problemsOf(text)).toEqual(problems.map(([path, message]) => ({ path, message })));
  });

  it.each(SECRETS)('never repeats the secret: %s', (...row) => {
    const told = JSON.stringify(problemsOf(row[1]));
    for (const secret of ['hunter2', 'ghp_', 'sk-proj', 'github_pat', 'eyJ', 'abc'])
      expect(told).not.toContain(secret);
  });
});
