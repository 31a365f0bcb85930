/** The environment of a window: an empty profile, a model, and a running code-server. */
import { Model } from './model.ts';
import { places } from './places.ts';
import { Process } from './processes.ts';
import { Profile, type ProfileOptions } from './profile.ts';

export interface Options extends ProfileOptions {
  /** Whether VS Code asks about trust. By default it trusts every folder. */
  workspaceTrust?: boolean;
  /** Whether there is no key in the environment. */
  signedOut?: boolean;
  /** The size of the window. */
  size?: { width: number; height: number };
}

export class Served {
  readonly options: Options;
  readonly profile: Profile;
  readonly model: Model;
  readonly server: Process;
  readonly address: string;

  private constructor(options: Options, profile: Profile, model: Model, server: Process, address: string) {
    this.options = options;
    this.profile = profile;
    this.model = model;
    this.server = server;
    this.address = address;
  }

  static async start(options: Options): Promise<Served> {
    const needed = places();
    const model = await Model.start(needed.model);
    const key = options.signedOut ? {} : { GEMINI_API_KEY: model.key };
    const env = { GOOGLE_GEMINI_BASE_URL: model.url, ...key, ...options.env };
    const trust = options.workspaceTrust ? { 'security.workspace.trust.enabled': true } : {};
    const profile = new Profile({ ...options, env, settings: { ...trust, ...options.settings } });
    const folders = ['--config', profile.config, '--user-data-dir', profile.data, '--extensions-dir', needed.extensions];
    const quiet = ['--disable-telemetry', '--disable-update-check', '--disable-getting-started-override'];
    const trusting = options.workspaceTrust ? [] : ['--disable-workspace-trust'];
    const args = [...folders, '--bind-addr', '127.0.0.1:0', '--auth', 'none', ...quiet, ...trusting, profile.workspace];
    const server = new Process(needed.codeServer, args, profile.env);
    try {
      const [, address] = await server.waitForOutput(/listening on (http:\/\/[\d.:]+)/);
      return new Served(options, profile, model, server, address!);
    } catch (error) {
      await Promise.all([server.stop(), model.stop()]);
      profile.remove();
      throw error;
    }
  }

  /** Stops both programs and removes the profile. */
  async stop(): Promise<void> {
    await Promise.all([this.server.stop(), this.model.stop()]);
    this.profile.remove();
  }
}
