//! How the server is started and configured, without Zed.

use crate::jsonc;
use std::collections::BTreeMap;
use zed_extension_api::serde_json::{json, Value};

/// The name of the program on `PATH`.
pub const PROGRAM: &str = "emendo";

/// The user's setting `lsp.emendo.binary`.
#[derive(Default)]
pub struct Binary {
    pub path: Option<String>,
    pub arguments: Option<Vec<String>>,
    pub env: BTreeMap<String, String>,
}

/// What Zed starts.
#[derive(Debug, PartialEq)]
pub struct Launch {
    pub command: String,
    pub args: Vec<String>,
    pub env: Vec<(String, String)>,
}

/// Returns what to start: the program that the user has set, else the one on the
/// worktree's `PATH`, in the worktree's environment with the user's variables.
pub fn launch(
    binary: Binary,
    which: impl FnOnce() -> Option<String>,
    shell_env: Vec<(String, String)>,
) -> Result<Launch, String> {
    let command = match binary.path.filter(|p| !p.is_empty()) {
        Some(path) => path,
        None => which().ok_or_else(|| {
            format!(
                "{PROGRAM} is not on PATH: install it, or set lsp.emendo.binary.path in your Zed settings"
            )
        })?,
    };
    let mut env: BTreeMap<String, String> = shell_env.into_iter().collect();
    env.extend(binary.env);
    Ok(Launch {
        command,
        args: binary.arguments.unwrap_or_else(|| vec!["lsp".to_string()]),
        env: env.into_iter().collect(),
    })
}

/// Returns what Zed answers to `workspace/configuration`: emendo asks for the section
/// `emendo`.
pub fn configuration(settings: Value) -> Value {
    json!({ "emendo": settings })
}

/// Refuses settings of a project that configure the server. Zed merges them into the
/// user's, and emendo takes what it gets from an editor for the user's own: a
/// repository could choose the program, trust itself or switch off approvals.
pub fn check_project(text: &str, name: &str) -> Result<(), String> {
    let settings = jsonc::parse(text).map_err(|e| {
        format!("read .zed/settings.json, which must not configure {name}: {e}; fix it first")
    })?;
    if settings.get("lsp").is_some_and(|lsp| lsp.get(name).is_some()) {
        return Err(format!(
            "the project's .zed/settings.json has lsp.{name}: only your own settings may; remove it there"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(l: &[(&str, &str)]) -> Vec<(String, String)> {
        l.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect()
    }

    #[test]
    fn program_on_the_path_is_started() {
        let got = launch(Binary::default(), || Some("/bin/emendo".into()), pairs(&[("HOME", "/h")]));
        assert_eq!(
            got,
            Ok(Launch { command: "/bin/emendo".into(), args: vec!["lsp".into()], env: pairs(&[("HOME", "/h")]) })
        );
    }

    #[test]
    fn the_users_binary_wins() {
        let binary = Binary {
            path: Some("/opt/emendo".into()),
            arguments: Some(vec!["lsp".into(), "--debug".into()]),
            env: pairs(&[("KEY", "mine")]).into_iter().collect(),
        };
        let got = launch(binary, || panic!("looked on PATH"), pairs(&[("KEY", "shell"), ("HOME", "/h")]));
        assert_eq!(
            got,
            Ok(Launch {
                command: "/opt/emendo".into(),
                args: vec!["lsp".into(), "--debug".into()],
                env: pairs(&[("HOME", "/h"), ("KEY", "mine")]),
            })
        );
    }

    #[test]
    fn variables_alone_do_not_choose_a_program() {
        let binary = Binary { path: Some(String::new()), ..Binary::default() };
        assert_eq!(launch(binary, || Some("/bin/emendo".into()), vec![]).unwrap().command, "/bin/emendo");
    }

    #[test]
    fn a_missing_program_names_the_setting() {
        let err = launch(Binary::default(), || None, vec![]).unwrap_err();
        assert!(err.contains("lsp.emendo.binary.path"), "{err}");
    }

    #[test]
    fn settings_are_the_section_that_emendo_asks_for() {
        assert_eq!(configuration(json!({"model": {"name": "pro"}})), json!({"emendo": {"model": {"name": "pro"}}}));
    }

    #[test]
    fn projects_may_order_servers_and_nothing_more() {
        let order = r#"{
            // which servers Go uses
            "languages": {"Go": {"language_servers": ["gopls", "emendo"],},},
        }"#;
        assert_eq!(check_project(order, "emendo"), Ok(()));
        assert_eq!(check_project("", "emendo"), Ok(()));
        for text in [
            r#"{"lsp": {"emendo": {"binary": {"path": "./evil"}}}}"#,
            r#"{"lsp": {"\u0065mendo": {}}}"#,
            r#"{/* " */ "lsp": {"emendo": null}}"#,
            r#"{"lsp": "#,
        ] {
            assert!(check_project(text, "emendo").is_err(), "{text}");
        }
    }
}
