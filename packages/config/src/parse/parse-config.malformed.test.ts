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

const LOGINS = 'a list of 1 to 100 GitHub logins of people (up to 39 letters, digits and single hyphens)';
const LABEL = 'a label of 1 to 50 characters, without commas and without spaces at either end';
const PATH = 'a path relative to the root of the repository, without "..", "." or ".git" in it';
const API_URL = 'an https:// URL (http:// only for a loopback host) without credentials, query or fragment';
const REMOTE_URL =
  'an https:// or ssh:// URL, or user@host:path, without credentials (http:// and file:// only on loopback)';
const BRANCH = 'a branch name that git accepts, at most 200 characters';
const PER_REPO = 'a table per repository, [repo.<id>], where <id> is a name of your choice';
const SECRET =
  'contains a secret (not shown). Remove it from the file and use an environment variable or the login of the tool';
const REDIS_SECRET =
  'contains a secret (not shown). Remove it from the file and set the environment variable MERGEXO_REDIS_URL or MERGEXO_REDIS_PASSWORD';
const NO_ID =
  'invalid id, expected 1 to 40 letters, digits, hyphens and underscores, starting with a letter or digit, and not a reserved name such as constructor';
const NOT_LOOPBACK = 'because github.api_url is not a loopback address';
const DIRECTORY = 'an absolute path other than /, or a path that starts with ~/, without ".."';
const PROGRAM = 'the name of a program on PATH, an absolute path, or a path that starts with ~/';
const RELATIVE_PROGRAM =
  "a relative path, which would run a file from the agent's checkout. Expected the name of a program on PATH, an absolute path, or a path that starts with ~/";
const ENVIRONMENT =
  'a list of at most 50 names of environment variables, none of which starts with MERGEXO_, GITHUB_ or GH_';

const AGENTS = 'a list of distinct agents from "codex", "claude", "command"';
const HOSTS =
  'a list of at most 100 hosts: a name, `*.` and at least two labels, or an IP address with a port; a name can have a port too';

/** Builds a config file that is valid except for this line. */
const main = (line: string) => `${REPO}${line}\n`;
const inSection = (section: string, line: string) => `[${section}]\n${line}\n${REPO}`;

// biome-ignore format: one case per row, with its messages below
const SHAPES: Row[] = [
  ['a value that is not TOML', '[runtime]\nworker_count = two',
    ['', 'line 2, column 16: invalid TOML: invalid value']],
  ['a key given twice', 'a = 1\na = 2',
    ['', 'line 2, column 1: invalid TOML: trying to redefine an already defined table or value']],
  ['an unterminated string', '[redis]\nurl = "redis://:hunter2@host',
    ['', 'line 2, column 7: invalid TOML: unfinished string']],
  ['an integer too large for a number', 'a = 99999999999999999999',
    ['', 'line 1, column 5: invalid TOML: integer value cannot be represented losslessly']],
  ['an empty file', '', ['repo', `missing, expected ${PER_REPO}`]],
  ['a repo section without repositories', '[repo]', ['repo', `missing, expected ${PER_REPO}`]],
  ['repositories as a list', '[[repo]]\nowner = "a"', ['repo', `got a list of 1 value, expected ${PER_REPO}`]],
  ['a repository without an id', '[repo]\nowner = "a"', ['repo.owner', `got "a", expected ${PER_REPO}`]],
  ['a section that is a number', `runtime = 5\n${REPO}`, ['runtime', 'got 5, expected a table, [runtime]']],
  ['a section that is a list', `[[agent]]\nadapter = "codex"\n${REPO}`,
    ['agent', 'got a list of 1 value, expected a table, [agent]']],
  ['a misspelled key', inSection('runtime', 'worker_cont = 2'),
    ['runtime.worker_cont', 'unknown key; did you mean worker_count?']],
  ['a key in camelCase', inSection('runtime', 'workerCount = 2'),
    ['runtime.workerCount', 'unknown key; did you mean worker_count?']],
  ['swapped letters', inSection('agent', 'adpater = "codex"'),
    ['agent.adpater', 'unknown key; did you mean adapter?']],
  ['a misspelled section', `[schedular]\n${REPO}`, ['schedular', 'unknown key; did you mean scheduler?']],
  ['a plural section', '[repos.main]\nowner = "a"\nname = "b"',
    ['repos', 'unknown key; did you mean repo?'],
    ['repo', `missing, expected ${PER_REPO}`]],
  ['a key from another section', inSection('agent', 'worker_count = 2'),
    ['agent.worker_count', 'unknown key, which belongs in [runtime]']],
  ['a key from several sections, outside any section', `model = "x"\n${REPO}`,
    ['model', 'unknown key, which belongs in [codex], [claude] or [review]']],
  ['a key that resembles no other', inSection('github', 'colour = "red"'),
    ['github.colour', 'unknown key; allowed: api_url, commit_name, commit_email, reactions, status_comment, app']],
  ['a key with control characters', inSection('github', '"a\\u001b[31m\\n" = 1'),
    ['github."a\\u{001b}[31m\\u{000a}"', 'unknown key; allowed: api_url, commit_name, commit_email, reactions, status_comment, app']],
  ['a missing owner', '[repo.main]\nname = "hello"',
    ['repo.main.owner', 'missing, expected a GitHub login: up to 39 letters, digits and single hyphens']],
  ['an empty repository table', '[repo.main]',
    ['repo.main.owner', 'missing, expected a GitHub login: up to 39 letters, digits and single hyphens'],
    ['repo.main.name', 'missing, expected a repository name: up to 100 letters, digits, dots, hyphens and underscores, without .git']],
];

// biome-ignore format: one case per row, with its messages below
const VALUES: Row[] = [
  ['text instead of a number', inSection('runtime', 'worker_count = "two"'),
    ['runtime.worker_count', 'got "two", expected a whole number from 1 to 64']],
  ['a fraction instead of a whole number', inSection('runtime', 'worker_count = 1.5'),
    ['runtime.worker_count', 'got 1.5, expected a whole number from 1 to 64']],
  ['no workers', inSection('runtime', 'worker_count = 0'),
    ['runtime.worker_count', 'got 0, expected a whole number from 1 to 64']],
  ['not a number', inSection('agent', 'timeout_seconds = nan'),
    ['agent.timeout_seconds', 'got NaN, expected a number of seconds from 1 to 86400']],
  ['an infinite timeout', inSection('agent', 'timeout_seconds = inf'),
    ['agent.timeout_seconds', 'got Infinity, expected a number of seconds from 1 to 86400']],
  ['a duration with a unit', inSection('runtime', 'drain_grace_seconds = "60s"'),
    ['runtime.drain_grace_seconds', 'got "60s", expected a number of seconds from 0 to 3600']],
  ['a date', inSection('runtime', 'log_level = 2026-01-01'),
    ['runtime.log_level', 'got a date, expected one of "debug", "info", "warn", "error"']],
  ['a table instead of a value', inSection('runtime', 'worker_count = { min = 1 }'),
    ['runtime.worker_count', 'got a table, expected a whole number from 1 to 64']],
  ['text instead of a boolean', inSection('runtime', 'enable_feedback_loop = "yes"'),
    ['runtime.enable_feedback_loop', 'got "yes", expected true or false']],
  ['an unknown adapter', inSection('agent', 'adapter = "gemini"'),
    ['agent.adapter', 'got "gemini", expected one of "codex", "claude", "command"']],
  ['an unknown fallback', inSection('agent', 'fallback = ["claude", "gemini"]'),
    ['agent.fallback[1]', `got "gemini", expected ${AGENTS}`]],
  ['a fallback instead of a list', main('agent_fallback = "claude"'),
    ['repo.main.agent_fallback', `got "claude", expected ${AGENTS}`]],
  ['the same fallback twice', inSection('review', 'fallback = ["claude", "command", "claude"]\n[command]\nargv = ["agent"]'),
    ['review.fallback[2]', 'got "claude", which the list names twice']],
  ['an unknown severity', inSection('review', 'blocking_severity = "nit"'),
    ['review.blocking_severity', 'got "nit", expected one of "critical", "high", "medium", "low"']],
  ['a relative base directory', inSection('runtime', 'base_dir = "state"'),
    ['runtime.base_dir', `got "state", expected ${DIRECTORY}`]],
  ['a base directory with ".."', inSection('runtime', 'base_dir = "~/../root"'),
    ['runtime.base_dir', `got "~/../root", expected ${DIRECTORY}`]],
  ['the root as base directory', inSection('runtime', 'base_dir = "/"'),
    ['runtime.base_dir', `got "/", expected ${DIRECTORY}`]],
  ["another user's home", inSection('runtime', 'base_dir = "~root/x"'),
    ['runtime.base_dir', `got "~root/x", expected ${DIRECTORY}`]],
  ['an API without encryption', inSection('github', 'api_url = "http://github.example.com"'),
    ['github.api_url', `got "http://github.example.com", expected ${API_URL}`]],
  ['a host name that only starts with a loopback address', inSection('github', 'api_url = "http://127.0.0.1.example.com"'),
    ['github.api_url', `got "http://127.0.0.1.example.com", expected ${API_URL}`]],
  ['an API address without a scheme', inSection('github', 'api_url = "api.github.com"'),
    ['github.api_url', `got "api.github.com", expected ${API_URL}`]],
  ['an API address with a user', inSection('github', 'api_url = "https://ada@github.example.com"'),
    ['github.api_url', `got "https://(hidden)@github.example.com", expected ${API_URL}`]],
  ['a URL that is not a Redis URL', inSection('redis', 'url = "http://127.0.0.1:6379"'),
    ['redis.url', 'got "http://127.0.0.1:6379", expected a redis:// or rediss:// URL with a host, or unix:// with a path, without a password or a query']],
  ['a program in the checkout', inSection('codex', 'binary = "./codex"'),
    ['codex.binary', `got "./codex", ${RELATIVE_PROGRAM}`]],
  ['a program that is an option', inSection('claude', 'binary = "-x"'),
    ['claude.binary', `got "-x", expected ${PROGRAM}`]],
  ['a model that is an option', inSection('codex', 'model = "--yolo"'),
    ['codex.model', 'got "--yolo", expected a name of 1 to 100 characters without spaces that does not start with a hyphen']],
  ['an argument that disables the Codex sandbox', inSection('codex', 'extra_args = ["--search", "--yolo"]'),
    ['codex.extra_args[1]', 'got "--yolo", expected a list of at most 50 arguments without control characters, none of which sets the sandbox, approvals or directories']],
  ['a configuration key that disables the Codex sandbox', inSection('codex', `extra_args = ["-c", "sandbox_mode='danger-full-access'"]`),
    ['codex.extra_args[1]', `got "sandbox_mode='danger-full-access'", expected a list of at most 50 arguments without control characters, none of which sets the sandbox, approvals or directories`]],
  ['an argument that disables the permissions of Claude Code', inSection('claude', 'extra_args = ["--dangerously-skip-permissions"]'),
    ['claude.extra_args[0]', 'got "--dangerously-skip-permissions", expected a list of at most 50 arguments without control characters, none of which sets permissions, settings or directories']],
  ['a command line as one string', inSection('command', 'argv = "agent --json"'),
    ['command.argv', 'got "agent --json", expected a list: a program (on PATH, absolute, or from ~/), then at most 50 arguments without control characters']],
  ['a command in the working directory', inSection('command', 'argv = ["./agent.sh", "--json"]'),
    ['command.argv[0]', `got "./agent.sh", ${RELATIVE_PROGRAM}`]],
  ['a command below the working directory', inSection('command', 'argv = ["bin/agent"]'),
    ['command.argv[0]', `got "bin/agent", ${RELATIVE_PROGRAM}`]],
  ['a command that is an option', inSection('command', 'argv = ["-x", "y"]'),
    ['command.argv[0]', `got "-x", expected ${PROGRAM}`]],
  ['an empty command line', inSection('command', 'argv = []'),
    ['command.argv', 'got an empty list, expected a list: a program (on PATH, absolute, or from ~/), then at most 50 arguments without control characters']],
  ['a network policy that does not exist', inSection('sandbox', 'network = "none"'),
    ['sandbox.network', 'got "none", expected one of "model-only", "allow-list", "all"']],
  ...[
    'https://example.com', 'user@example.com', 'example.com/path', 'example.com:0', 'example.com:65536', 'example.com.',
    '*', '*.com', '*.10.0.0.1', 'a.*.example.com', '10.0.0.7', '10.1:80', '0x7f.1:80', '[::1]', '[::1%lo]:80', 'bücher.example', 'a b', '',
  ].map((host): Row => [`the allowed host ${host}`,
    inSection('sandbox', `network = "allow-list"\nallowed_hosts = ["${host}"]`),
    ['sandbox.allowed_hosts[0]', `got "${host}", expected ${HOSTS}`]]),
  ['variables that the agent must not get', inSection('agent', 'pass_env = ["OPENAI_API_KEY", "GITHUB_TOKEN", "A=B"]'),
    ['agent.pass_env[1]', `got "GITHUB_TOKEN", expected ${ENVIRONMENT}`],
    ['agent.pass_env[2]', `got "A=B", expected ${ENVIRONMENT}`]],
  ['a threshold above 1', inSection('scheduler', 'conflict_threshold = 1.1'),
    ['scheduler.conflict_threshold', 'got 1.1, expected a number from 0 to 1']],
  ['a port out of range', inSection('dashboard', 'port = 70000'),
    ['dashboard.port', 'got 70000, expected a whole number from 0 to 65535']],
  ['a URL instead of a host', inSection('dashboard', 'host = "http://localhost"'),
    ['dashboard.host', 'got "http://localhost", expected a host name or an IP address']],
];

// biome-ignore format: one case per row, with its messages below
const REPO_VALUES: Row[] = [
  ['an owner that is not a login', '[repo.main]\nowner = "-octo"\nname = "x"',
    ['repo.main.owner', 'got "-octo", expected a GitHub login: up to 39 letters, digits and single hyphens']],
  ['owner and name in one value', '[repo.main]\nowner = "octo"\nname = "octo/x"',
    ['repo.main.name', 'got "octo/x", expected a repository name: up to 100 letters, digits, dots, hyphens and underscores, without .git']],
  ['a name with ".."', '[repo.main]\nowner = "octo"\nname = ".."',
    ['repo.main.name', 'got "..", expected a repository name: up to 100 letters, digits, dots, hyphens and underscores, without .git']],
  ['a bot among the people', main('allowed_users = ["ada", "renovate[bot]"]'),
    ['repo.main.allowed_users[1]', `got "renovate[bot]", expected ${LOGINS}`]],
  ['an empty list of people', main('allowed_users = []'),
    ['repo.main.allowed_users', `got an empty list, expected ${LOGINS}`]],
  ['a login instead of a list', main('operator_logins = "ada"'),
    ['repo.main.operator_logins', `got "ada", expected ${LOGINS}`]],
  ['a label with a comma', main('design_label = "a,b"'),
    ['repo.main.design_label', `got "a,b", expected ${LABEL}`]],
  ['a label with a line break', main('design_label = "a\\nb"'),
    ['repo.main.design_label', `got "a\\u{000a}b", expected ${LABEL}`]],
  ['a branch that git refuses', main('default_branch = "a..b"'),
    ['repo.main.default_branch', `got "a..b", expected ${BRANCH}`]],
  ['a branch that is an option', main('default_branch = "--force"'),
    ['repo.main.default_branch', `got "--force", expected ${BRANCH}`]],
  ['a branch with an invisible character', main('default_branch = "ma\\u200Bin"'),
    ['repo.main.default_branch', `got "ma\\u{200b}in", expected ${BRANCH}`]],
  ['documents outside the repository', main('design_docs_dir = "../docs"'),
    ['repo.main.design_docs_dir', `got "../docs", expected ${PATH}`]],
  ['an absolute path in the repository', main('required_tests = "/bin/true"'),
    ['repo.main.required_tests', `got "/bin/true", expected ${PATH}`]],
  ['a setup program outside the repository', main('setup = "../setup.sh"'),
    ['repo.main.setup', `got "../setup.sh", expected ${PATH}`]],
  ['a path into .git', main('coding_guidelines_path = ".GIT/hooks/x"'),
    ['repo.main.coding_guidelines_path', `got ".GIT/hooks/x", expected ${PATH}`]],
  ['a pattern that does not compile', main('test_file_regex = "tests/("'),
    ['repo.main.test_file_regex', 'got "tests/(", expected a regular expression in RE2 syntax: missing closing )']],
  ['a pattern with lookahead', main("test_file_regex = '^(?!src/)'"),
    ['repo.main.test_file_regex', 'got "^(?!src/)", expected a regular expression in RE2 syntax: RE2 does not support lookahead']],
  ['an unknown policy', main('ci_policy = "sometimes"'),
    ['repo.main.ci_policy', 'got "sometimes", expected one of "never", "first_fail", "all_complete"']],
  ['a remote that runs a command', main('remote_url = "ext::sh -c id"'),
    ['repo.main.remote_url', `got "ext::sh -c id", expected ${REMOTE_URL}`]],
  ['a remote that is an option', main('remote_url = "--upload-pack=id"'),
    ['repo.main.remote_url', `got "--upload-pack=id", expected ${REMOTE_URL}`]],
  ['a very long value', main(`default_branch = "${'x'.repeat(300)}"`),
    ['repo.main.default_branch', `got "${'x'.repeat(60)}…", expected ${BRANCH}`]],
  ['an id with a space', '[repo."my repo"]\nowner = "a"\nname = "b"', ['repo."my repo"', NO_ID]],
  ['an id that every object has', '[repo.constructor]\nowner = "a"\nname = "b"', ['repo.constructor', NO_ID]],
  ['an id that would change every object', '[repo.__proto__]\nowner = "a"\nname = "b"\npolluted = true',
    ['repo.__proto__', NO_ID],
    ['repo.__proto__.polluted', `unknown key; allowed: owner, name, default_branch, remote_url, design_label, bugfix_label, small_job_label, ignore_label, design_docs_dir, allowed_users, operator_logins, setup, required_tests, test_file_regex, coding_guidelines_path, ci_policy, auto_update, show_cost, enable_feedback_loop, enable_issue_comment_routing, reactions, status_comment, review_enabled, review_verify, agent_adapter, agent_fallback, agent_model`]],
  ['a section that would change every object', `[__proto__]\npolluted = true\n${REPO}`,
    ['__proto__', 'unknown key; allowed: runtime, github, redis, agent, sandbox, codex, claude, command, limits, scheduler, review, dashboard, notify, webhook, prices, repo']],
];

// biome-ignore format: one case per row, with its messages below
const CONTRADICTIONS: Row[] = [
  ['polling GitHub too often', inSection('runtime', 'poll_interval_seconds = 1'),
    ['runtime.poll_interval_seconds', `got 1, expected at least 5, ${NOT_LOOPBACK}`]],
  ['a window too short for GitHub', inSection('runtime', 'visibility_window_seconds = 5'),
    ['runtime.visibility_window_seconds', `got 5, expected at least 60, ${NOT_LOOPBACK}`]],
  ['writing to GitHub without a pause', inSection('runtime', 'write_spacing_seconds = 0'),
    ['runtime.write_spacing_seconds', `got 0, expected at least 1, ${NOT_LOOPBACK}`]],
  ['a window too short even for loopback', `${LOOPBACK}${inSection('runtime', 'visibility_window_seconds = 0')}`,
    ['runtime.visibility_window_seconds', 'got 0, expected a number of seconds from 60 to 3600 (from 0.1 if github.api_url is a loopback address)']],
  ['allowed hosts without effect', inSection('sandbox', 'network = "model-only"\nallowed_hosts = ["example.com"]'),
    ['sandbox.allowed_hosts', 'got a list of 1 value, expected an empty list, because none of sandbox.network, sandbox.setup_network and sandbox.required_tests_network is "allow-list"']],
  ['a silence limit above the timeout', inSection('agent', 'silence_seconds = 900'),
    ['agent.silence_seconds', 'got 900, expected at most agent.timeout_seconds, which is 600']],
  ['the command adapter without a command', inSection('agent', 'adapter = "command"'),
    ['command.argv', 'missing, but required because of "command" in agent.adapter. Set it to the program and its arguments']],
  ['a reviewer and a repository without their command', `[review]\nagent = "command"\n${main('agent_adapter = "command"')}`,
    ['command.argv', 'missing, but required because of "command" in review.agent and repo.main.agent_adapter. Set it to the program and its arguments']],
  ['a fallback without its command', inSection('agent', 'fallback = ["command"]'),
    ['command.argv', 'missing, but required because of "command" in agent.fallback. Set it to the program and its arguments']],
  ['the agent as its own fallback', inSection('agent', 'fallback = ["claude", "codex"]'),
    ['agent.fallback', 'got "codex", expected another agent, because agent.adapter is already "codex"']],
  ["a repository's agent as its own fallback", main('agent_adapter = "claude"\nagent_fallback = ["claude"]'),
    ['repo.main.agent_fallback', 'got "claude", expected another agent, because repo.main.agent_adapter is already "claude"']],
  ['the reviewer as its own fallback', inSection('review', 'agent = "claude"\nfallback = ["claude"]'),
    ['review.fallback', 'got "claude", expected another agent, because review.agent is already "claude"']],
  ['the author as the fallback of a reviewer that is the author', inSection('review', 'fallback = ["codex"]'),
    ['review.fallback', 'got "codex", expected another agent, because agent.adapter is already "codex"']],
  ['a Redis on another host without a password', inSection('redis', 'url = "redis://redis.example.com"'),
    ['redis.url', 'got "redis://redis.example.com", expected a loopback host, a password in the environment variable MERGEXO_REDIS_PASSWORD, or allow_insecure = true']],
  ['a run limit above the daily token limit', inSection('limits', 'max_tokens_per_run = 10\nmax_tokens_per_day = 5'),
    ['limits.max_tokens_per_run', 'got 10, expected at most limits.max_tokens_per_day, which is 5']],
  ['a run limit above the daily cost limit', inSection('limits', 'max_cost_usd_per_run = 2.5\nmax_cost_usd_per_day = 1'),
    ['limits.max_cost_usd_per_run', 'got 2.5, expected at most limits.max_cost_usd_per_day, which is 1']],
  ['the same repository twice', `${REPO}[repo.other]\nowner = "Octo-Org"\nname = "Hello-World"`,
    ['repo.other', 'configures "Octo-Org/Hello-World", which [repo.main] already configures. Use one table per repository']],
  ['the same label for two flows', main('bugfix_label = "Agent:Design"'),
    ['repo.main.bugfix_label', 'got "Agent:Design", expected a different label than repo.main.design_label']],
  ['the escalation label as a flow label', main('small_job_label = "agent:human-review"'),
    ['repo.main.small_job_label', 'got "agent:human-review", expected a different label than review.escalation_label']],
  ["a base branch with MergeXO's prefix", main('default_branch = "agent/main"'),
    ['repo.main.default_branch', 'got "agent/main", expected a branch outside agent/, which is reserved for MergeXO\'s branches']],
  ["another repository's remote", main('remote_url = "git@github.com:octo-org/other.git"'),
    ['repo.main.remote_url', 'got "git@github.com:octo-org/other.git", expected a URL that ends with octo-org/hello-world.git']],
  ['a local remote for the real GitHub', main('remote_url = "file:///srv/hello.git"'),
    ['repo.main.remote_url', `got "file:///srv/hello.git", expected https:// or ssh, ${NOT_LOOPBACK}`]],
  ['a model for an agent without models', `[command]\nargv = ["agent"]\n${main('agent_adapter = "command"\nagent_model = "m"')}`,
    ['repo.main.agent_model', 'got "m", expected no value, because repo.main.agent_adapter is "command"']],
  ['a model for a reviewer without models', `[command]\nargv = ["agent"]\n${inSection('review', 'agent = "command"\nmodel = "m"')}`,
    ['review.model', 'got "m", expected no value, because review.agent is "command"']],
];

// biome-ignore format: one case per row, with its messages below
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

  it.each(rows)('is rejected with an exact message: %s', (...row) => {
    const [, text, ...problems] = row;
    expect(problemsOf(text)).toEqual(problems.map(([path, message]) => ({ path, message })));
  });

  it.each(SECRETS)('never prints the secret: %s', (...row) => {
    const printed = JSON.stringify(problemsOf(row[1]));
    for (const secret of ['hunter2', 'ghp_', 'sk-proj', 'github_pat', 'eyJ', 'abc'])
      expect(printed).not.toContain(secret);
  });
});
