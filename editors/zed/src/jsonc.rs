//! JSON with comments and trailing commas, as Zed's settings files are.

use zed_extension_api::serde_json::{self, Value};

/// Parses a settings file. A blank one is an empty object.
pub fn parse(text: &str) -> serde_json::Result<Value> {
    let plain = strip(text);
    if plain.trim().is_empty() {
        return Ok(Value::Object(Default::default()));
    }
    serde_json::from_str(&plain)
}

/// Removes comments, and commas before the end of an object or array.
fn strip(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match (c, rest.peek()) {
            ('"', _) => {
                out.push(c);
                while let Some(c) = rest.next() {
                    out.push(c);
                    match c {
                        '\\' => out.extend(rest.next()),
                        '"' => break,
                        _ => {}
                    }
                }
            }
            ('/', Some('/')) => {
                while rest.peek().is_some_and(|&c| c != '\n') {
                    rest.next();
                }
            }
            ('/', Some('*')) => {
                rest.next();
                let mut before = ' ';
                for c in rest.by_ref() {
                    if before == '*' && c == '/' {
                        break;
                    }
                    before = c;
                }
                out.push(' ');
            }
            ('}' | ']', _) => {
                let end = out.trim_end().len();
                if out[..end].ends_with(',') {
                    out.truncate(end - 1);
                }
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use zed_extension_api::serde_json::json;

    #[test]
    fn comments_and_trailing_commas_are_left_out() {
        for (text, want) in [
            ("", json!({})),
            (" // nothing\n", json!({})),
            ("{\"a\": [1, 2,], /* x, */ \"b\": {\"c\": 1, // d\n},}", json!({"a": [1, 2], "b": {"c": 1}})),
            (r#"{"url": "http://h/*", "s": "a\",]"}"#, json!({"url": "http://h/*", "s": "a\",]"})),
        ] {
            assert_eq!(parse(text).unwrap(), want, "{text}");
        }
    }

    #[test]
    fn what_is_not_json_is_an_error() {
        for text in ["{", "[1 2]", "{a: 1}"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
