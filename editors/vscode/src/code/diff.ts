/** As much of a diff is sent, in characters. */
const most = 100_000;

/** Names of files whose content is never sent unasked, as the server has them. */
const secret = /(^|\/)(\.env(\.[^/]*)?|\.netrc|\.npmrc|\.pypirc|\.git-credentials|credentials(\.json)?|id_(rsa|dsa|ecdsa|ed25519)|[^/]*\.(pem|key|p12|pfx|jks|keystore))$/i;

/**
 * Makes a diff of git's fit to be sent: without the content of files that hold
 * secrets, and not longer than what a model reads with profit. It says what is
 * left out.
 */
export function presentable(diff: string): string {
  const files = diff.split(/^(?=diff --git )/m).map((file) => {
    const name = /^diff --git (?:"?a\/.*"? )?"?b\/(.*?)"?$/m.exec(file)?.[1];
    return name !== undefined && secret.test(name) ? `${file.split('\n', 1)[0]}\n(left out: this file may hold secrets)\n` : file;
  });
  const text = files.join('');
  return text.length > most ? `${text.slice(0, most)}\n(the rest is omitted: the diff has ${text.length} characters)\n` : text;
}

/** Returns what a model wrote as a commit message: without fences, and without blanks around it. */
export function commitMessage(answer: string): string {
  const fenced = /^```[^\n]*\n([\s\S]*?)\n?```\s*$/m.exec(answer.trim());
  return (fenced?.[1] ?? answer).trim();
}
