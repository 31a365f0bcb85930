// Starts the stub as the language server of text files, and does what a user
// would do when the stub asks for it.
const vscode = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

let client;

exports.activate = async () => {
  const command = process.env.RECORD_STUB;
  client = new LanguageClient('recorder', 'Recorder', { command }, {
    documentSelector: [{ scheme: 'file', pattern: '**/*.txt' }],
  });
  client.onNotification('record/type', () => vscode.commands.executeCommand('type', { text: 'x' }));
  client.onNotification('record/undo', () => vscode.commands.executeCommand('undo'));
  client.onNotification('record/save', () => vscode.workspace.saveAll());
  await client.start();
  const [file] = await vscode.workspace.findFiles('first.txt');
  await vscode.window.showTextDocument(file);
};

exports.deactivate = () => client?.stop();
