import * as vscode from 'vscode';
import { randomBytes } from 'node:crypto';

/** The folder that a view may load files from, and nothing else. */
export function resources(extension: vscode.Uri): vscode.Uri {
  return vscode.Uri.joinPath(extension, 'dist', 'view');
}

/**
 * The page of a view. Scripts run with the page's nonce alone, everything else
 * comes from the extension's own folder, and nothing from the network.
 */
export function html(webview: vscode.Webview, extension: vscode.Uri): string {
  const nonce = randomBytes(16).toString('base64');
  const at = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(resources(extension), name)).toString();
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`, // and what it imports: highlighting, languages
    `style-src ${webview.cspSource} 'unsafe-inline'`,
    `font-src ${webview.cspSource}`,
    `img-src ${webview.cspSource} data:`,
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="${vscode.env.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<link rel="stylesheet" href="${at('view.css')}">
<title>Emendo</title>
</head>
<body>
<div id="root"></div>
<script type="module" nonce="${nonce}" src="${at('view.js')}"></script>
</body>
</html>
`;
}
