/** Returns what a model wrote as a commit message: without fences, and without blanks around it. */
export function commitMessage(answer: string): string {
  const fenced = /^```[^\n]*\n([\s\S]*?)\n?```\s*$/m.exec(answer.trim());
  return (fenced?.[1] ?? answer).trim();
}
