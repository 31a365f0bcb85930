/** What `WorkspaceConfiguration.inspect` returns, as far as it is used. */
export interface Inspected {
  globalValue?: unknown;
  workspaceValue?: unknown;
  workspaceFolderValue?: unknown;
}

/**
 * Returns the names of the server's settings, without `emendo.`, from the
 * extension's manifest.
 */
export function serverSettings(manifest: { contributes: { configuration: { id: string; properties: Record<string, { scope?: string }> }[] } }): ServerSetting[] {
  return manifest.contributes.configuration
    .filter(({ id }) => id.startsWith('emendo.server.'))
    .flatMap(({ properties }) => Object.entries(properties))
    .map(([name, { scope }]) => ({ name: name.slice('emendo.'.length), users: scope === 'application' }));
}

export interface ServerSetting {
  name: string;
  /** Whether it is the user's alone, and no project's. */
  users: boolean;
}

/** Returns what the user has set, and never what a workspace has. Defaults are the server's. */
export function userValues(settings: ServerSetting[], inspect: (name: string) => Inspected | undefined): Record<string, unknown> {
  return values(settings, (name) => inspect(name)?.globalValue);
}

/** Returns what the workspace has set of that which a project may set. */
export function workspaceValues(settings: ServerSetting[], inspect: (name: string) => Inspected | undefined): Record<string, unknown> {
  return values(
    settings.filter(({ users }) => !users),
    (name) => {
      const { workspaceFolderValue, workspaceValue } = inspect(name) ?? {};
      return workspaceFolderValue ?? workspaceValue;
    },
  );
}

function values(settings: ServerSetting[], value: (name: string) => unknown): Record<string, unknown> {
  const set = settings.map(({ name }) => [name, value(name)] as const).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set);
}
