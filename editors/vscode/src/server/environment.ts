/** The variable in which the server takes the key. */
export const keyVariable = 'GEMINI_API_KEY';

/**
 * Returns the server's environment: VS Code's own, changed by the setting
 * `emendo.env`, in which null removes a variable, and by the key of the user who
 * signed in. `base` is not changed.
 */
export function environment(base: NodeJS.ProcessEnv, configured: Record<string, unknown>, key: string | undefined): NodeJS.ProcessEnv {
  const env = { ...base };
  for (const [name, value] of Object.entries(configured)) {
    if (value === null) {
      delete env[name];
    } else if (typeof value === 'string') {
      env[name] = value;
    }
  }
  if (key) {
    env[keyVariable] = key;
    env['EMENDO_CLIENT_VARIABLES'] = keyVariable; // terminals of the user do not get it
  }
  return env;
}
