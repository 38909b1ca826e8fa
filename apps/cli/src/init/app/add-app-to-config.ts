/** The values that the config needs to log in as an App. */
export type AppLogin = { clientId: string; keyPath: string; workflows?: boolean };

function renderAppLine({ clientId, keyPath, workflows = false }: AppLogin): string {
  const keys = [`client_id = ${JSON.stringify(clientId)}`, `private_key_path = ${JSON.stringify(keyPath)}`];
  return `app = { ${[...keys, ...(workflows ? ['workflows = true'] : [])].join(', ')} }`;
}

/** Adds the App below `[github]`, and changes nothing else in the text. Adds the table if the text has none. */
export function addAppToConfig(text: string, login: AppLogin): string {
  const header = /^\[github\][ \t]*(?:#.*)?$/m.exec(text);
  if (header === null) return `${text.trimEnd()}\n\n[github]\n${renderAppLine(login)}\n`;
  const end = header.index + header[0].length;
  return `${text.slice(0, end)}\n${renderAppLine(login)}${text.slice(end)}`;
}
