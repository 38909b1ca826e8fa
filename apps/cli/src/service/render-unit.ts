/** A service definition. All paths are absolute, because a service runs in a different working directory, without your shell. */
export type Service = {
  argv: readonly string[];
  workingDirectory: string;
  /** PATH of this shell, so that the service finds agents, git and gh. */
  searchPath: string;
  /** XDG_DATA_HOME of this shell, which systemd does not know, so that the service uses the same data. */
  dataHome?: string | undefined;
  logFile: string;
  /** Time limit for a clean stop. */
  stopSeconds: number;
};

export const UNIT_PATH = '~/.config/systemd/user/mergexo.service';
export const PLIST_PATH = '~/Library/LaunchAgents/org.mergexo.up.plist';

/**
 * Renders a systemd unit. KillMode=mixed signals only `up`, which stops its children in order. After the limit,
 * systemd kills the rest.
 */
export function renderUnit(service: Service): string {
  return `# Save this file as ${UNIT_PATH}, then:
#   systemctl --user daemon-reload && systemctl --user enable --now mergexo
#   loginctl enable-linger          # keep it running while nobody is logged in
#   journalctl --user -u mergexo -f # watch it
# Put GITHUB_TOKEN=… and other secrets into ~/.config/mergexo/env (mode 600), not into this file.
[Unit]
Description=MergeXO: GitHub issues to reviewed pull requests
StartLimitIntervalSec=300
StartLimitBurst=5

[Service]
ExecStart=${service.argv.map((word) => quote(word).replaceAll('$', '$$$$')).join(' ')}
WorkingDirectory=${escapePercent(service.workingDirectory)}
Environment=${quote(`PATH=${service.searchPath}`)}${renderDataHome(service)}
EnvironmentFile=-%h/.config/mergexo/env
KillMode=mixed
TimeoutStopSec=${service.stopSeconds}
Restart=on-failure
RestartSec=10
# If agents use all of this memory, the kernel kills an agent process, and MergeXO keeps running.
MemoryMax=85%
TasksMax=16384
OOMPolicy=continue
LimitCORE=0

[Install]
WantedBy=default.target
`;
}

/** Renders a launchd service. Sets ExitTimeOut, because launchd kills a service after 20 seconds by default. */
export function renderPlist(service: Service): string {
  const strings = service.argv.map((word) => `    <string>${escapeXml(word)}</string>`).join('\n');
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- Save this file as ${PLIST_PATH}, then:
       launchctl bootstrap gui/$(id -u) ${PLIST_PATH}
       launchctl bootout gui/$(id -u)/org.mergexo.up   (stops it; delete this file too, or it starts again at the next login)
     The GitHub login comes from gh auth login. Do not put secrets into this file. -->
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>org.mergexo.up</string>
  <key>ProgramArguments</key>
  <array>
${strings}
  </array>
  <key>WorkingDirectory</key>
  <string>${escapeXml(service.workingDirectory)}</string>
  <key>EnvironmentVariables</key>
  <dict>
    <key>PATH</key>
    <string>${escapeXml(service.searchPath)}</string>
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>30</integer>
  <key>ExitTimeOut</key>
  <integer>${service.stopSeconds}</integer>
  <key>StandardOutPath</key>
  <string>${escapeXml(service.logFile)}</string>
  <key>StandardErrorPath</key>
  <string>${escapeXml(service.logFile)}</string>
</dict>
</plist>
`;
}

function renderDataHome({ dataHome }: Service): string {
  return dataHome === undefined ? '' : `\nEnvironment=${quote(`XDG_DATA_HOME=${dataHome}`)}`;
}

function quote(word: string): string {
  return `"${escapePercent(word.replace(/[\\"]/g, '\\$&'))}"`;
}

/** Escapes percent signs, because systemd expands specifiers such as %h. */
function escapePercent(text: string): string {
  return text.replaceAll('%', '%%');
}

const ENTITIES: { readonly [character: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function escapeXml(text: string): string {
  return text.replace(/[&<>]/g, (character) => ENTITIES[character] ?? character);
}

/** Removes the folders that npm and npx add to PATH, because the service runs without npm. */
export function removeNpmPaths(searchPath: string): string {
  return searchPath
    .split(':')
    .filter((folder) => !/\/(node_modules\/\.bin|node-gyp-bin)\/?$/.test(folder))
    .join(':');
}
