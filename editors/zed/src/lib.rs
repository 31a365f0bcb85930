//! Registers the language server `emendo` in Zed. What it decides is in [`server`];
//! here it is connected to Zed.

mod jsonc;
mod server;

use server::Binary;
use zed_extension_api::{
    self as zed, serde_json::Value, settings::LspSettings, Command, LanguageServerId, Result,
    Worktree,
};

struct Emendo;

/// Where a project keeps settings for Zed.
const PROJECT_SETTINGS: &str = ".zed/settings.json";

impl Emendo {
    /// Returns the user's `lsp.emendo`, or an error if the project has a part in it.
    fn settings(id: &LanguageServerId, worktree: &Worktree) -> Result<LspSettings> {
        if let Ok(text) = worktree.read_text_file(PROJECT_SETTINGS) {
            server::check_project(&text, id.as_ref())?;
        }
        LspSettings::for_worktree(id.as_ref(), worktree)
    }
}

impl zed::Extension for Emendo {
    fn new() -> Self {
        Emendo
    }

    fn language_server_command(
        &mut self,
        id: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Command> {
        let binary = Self::settings(id, worktree)?.binary.map(|b| Binary {
            path: b.path,
            arguments: b.arguments,
            env: b.env.unwrap_or_default().into_iter().collect(),
        });
        let launch = server::launch(
            binary.unwrap_or_default(),
            || worktree.which(server::PROGRAM),
            worktree.shell_env(),
        )?;
        Ok(Command {
            command: launch.command,
            args: launch.args,
            env: launch.env,
        })
    }

    fn language_server_initialization_options(
        &mut self,
        id: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Option<Value>> {
        Ok(Self::settings(id, worktree)?.initialization_options)
    }

    fn language_server_workspace_configuration(
        &mut self,
        id: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Option<Value>> {
        Ok(Self::settings(id, worktree)?
            .settings
            .map(server::configuration))
    }
}

zed::register_extension!(Emendo);
