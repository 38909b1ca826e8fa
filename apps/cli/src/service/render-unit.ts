/** What a service file has to say, all of it absolute: a service manager knows neither our directory nor our shell. */
export type Service = {
  argv: readonly string[];
  workingDirectory: string;
  /** Agents, git and gh must be found as they are in this shell. */
  searchPath: string;
  logFile: string;
  /** How long a clean stop may take. */
  stopSeconds: number;
};

export const UNIT_PATH = '~/.config/systemd/user/mergexo.service';
export const PLIST_PATH = '~/Library/LaunchAgents/org.mergexo.up.plist';

/** Only `up` gets the signal: it knows who must leave first. Whatever is left after the limit is ended with the group. */
export function renderUnit(service: Service): string {
  return `# Save this file as ${UNIT_PATH}, then:
#   systemctl --user daemon-reload && systemctl --user enable --now mergexo
#   loginctl enable-linger          # keep it running while nobody is logged in
#   journalctl --user -u mergexo -f # watch it
# GITHUB_TOKEN=… and other secrets, if you use any, go into ~/.config/mergexo/env (mode 600), not in here.
[Unit]
Description=MergeXO: GitHub issues to reviewed pull requests
StartLimitIntervalSec=300
StartLimitBurst=5

[Service]
ExecStart=${service.argv.map((word) => quote(word).replaceAll('$', '$$$$')).join(' ')}
WorkingDirectory=${escapePercent(service.workingDirectory)}
Environment=${quote(`PATH=${service.searchPath}`)}
EnvironmentFile=-%h/.config/mergexo/env
KillMode=mixed
TimeoutStopSec=${service.stopSeconds}
Restart=on-failure
RestartSec=10

[Install]
WantedBy=default.target
`;
}

/** launchd ends a service after 20 seconds unless it is given more. */
export function renderPlist(service: Service): string {
  const strings = service.argv.map((word) => `    <string>${escapeXml(word)}</string>`).join('\n');
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- Save this file as ${PLIST_PATH}, then:
       launchctl bootstrap gui/$(id -u) ${PLIST_PATH}
       launchctl bootout gui/$(id -u)/org.mergexo.up   (to stop it and keep it stopped)
     The GitHub login comes from gh auth login: no secret belongs in here. -->
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

function quote(word: string): string {
  return `"${escapePercent(word.replace(/[\\"]/g, '\\$&'))}"`;
}

/** systemd replaces %h and its like. */
function escapePercent(text: string): string {
  return text.replaceAll('%', '%%');
}

const ENTITIES: { readonly [character: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function escapeXml(text: string): string {
  return text.replace(/[&<>]/g, (character) => ENTITIES[character] ?? character);
}

/** Without the folders that npm and npx add for the programs that they start: a service has no npm above it. */
export function dropNpm(searchPath: string): string {
  return searchPath
    .split(':')
    .filter((folder) => !/\/(node_modules\/\.bin|node-gyp-bin)\/?$/.test(folder))
    .join(':');
}
